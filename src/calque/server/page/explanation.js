// What each word of one sentence and each word of the other add to their similarity.

import { ask } from "./api.js";
import { byId, element, text, unseen } from "./dom.js";
import { heatmap } from "./heatmap.js";
import { number, tint } from "./scale.js";
import { spoken, sumOf } from "./sum.js";
import { task } from "./task.js";

const MOST_CELLS = 5000; // of a table that anybody would look at

// Gives the function that explains a pair, or clears the place.
export function startExplanation() {
  const section = byId("explanation");
  const place = byId("explained");
  let pair = null;

  const explain = task(section.querySelector(".problem"), async (signal, byHand) => {
    section.hidden = pair === null;
    if (pair === null) return;
    const by = section.querySelector("[name=by]:checked").value;
    try {
      const explained = await ask("v1/explain", { ...pair, by }, signal);
      byId("explanation-title").textContent = `Why ${number(explained.score)}?`;
      place.replaceChildren(...shown(explained));
      byId("explanation-status").textContent = spoken(explained);
    } catch (problem) {
      if (!signal.aborted) clear();
      throw problem;
    } finally {
      if (byHand && !signal.aborted) section.scrollIntoView({ block: "nearest" });
    }
  });

  function clear() {
    byId("explanation-title").textContent = "Why?";
    place.replaceChildren();
  }

  section.addEventListener("change", () => explain());
  return (first, second, byHand = false) => {
    const same = pair !== null && pair.first === first && pair.second === second;
    pair = first === undefined ? null : { first, second };
    if (!same || byHand || place.childElementCount === 0) explain(byHand);
  };
}

function shown(explained) {
  const { contributions, score, unknown } = explained;
  const [first, second] = [explained.first, explained.second].map((parts) => parts.map((part) => markedPart(part, unknown)));
  const totals = {
    first: contributions.map((row) => row.reduce((sum, each) => sum + each, 0)),
    second: second.map((_, column) => contributions.reduce((sum, row) => sum + row[column], 0)),
  };
  const most = Math.max(...totals.first.map(Math.abs), ...totals.second.map(Math.abs)) || 1;
  return [
    element(
      "div",
      { class: "text" },
      sentence(first, totals.first, most),
      sentence(second, totals.second, most),
      sumOf(explained),
      ...(unknown.length ? [unknownNote(unknown)] : []),
    ),
    first.length * second.length > MOST_CELLS
      ? element("p", { class: "hint" }, `A table of ${first.length} × ${second.length} would be too large to read.`)
      : element(
          "div",
          { class: "scroll", tabindex: "0", role: "region", "aria-label": "Contributions" },
          tableOf(first, second, contributions, totals, score),
        ),
  ];
}

// A word of which only the space before it is known is not.
function markedPart(part, unknown) {
  return { ...part, known: part.known && !unknown.includes(part.text) };
}

// The words in their places, the darker the more they add; those of one written word stand together.
function sentence(parts, totals, most) {
  const line = text("p", "", { class: "words" });
  parts.forEach((part, at) => {
    if (at > 0 && part.word !== parts[at - 1].word) line.append(" ");
    const word = wordOf(part, at, totals);
    line.append(tint(word, totals[at] / most));
  });
  return line;
}

function wordOf(part, at, totals) {
  const title = `adds ${number(totals[at], 3)}${part.known ? "" : "; not known to the model"}`;
  const word = element("span", { class: "word", title }, part.text); // set apart by itself, it would not turn the line
  word.classList.toggle("unknown", !part.known);
  return word;
}

function unknownNote(unknown) {
  const words = unknown.flatMap((each, at) => [at ? ", " : "", text("bdi", each, { class: "unknown" })]);
  return element("p", { class: "hint" }, "Not known to the model, which passes over it: ", ...words);
}

// The last row and the last column are the sums.
function tableOf(first, second, contributions, totals, score) {
  const most = Math.max(...contributions.flat().map(Math.abs)) || 1;
  const table = heatmap(
    "What each pair adds to the score",
    [...first.map(headOf), "adds"],
    [...second.map(headOf), "adds"],
    (row, column) => {
      if (row === first.length && column === second.length) return total(score);
      if (row === first.length) return total(totals.second[column]);
      if (column === second.length) return total(totals.first[row]);
      return cell(contributions[row][column], most);
    },
  );
  table.classList.add("contributions");
  return table;
}

function headOf(part) {
  const head = text("bdi", part.text);
  if (part.known) return head;
  head.classList.add("unknown");
  return element("span", { title: "not known to the model" }, head, unseen(" (not known)"));
}

const total = (value) => element("td", { class: "total", title: number(value, 4) }, number(value));

// Most pairs add next to nothing, and a table full of 0.00 would hide those that do.
function cell(value, most) {
  const written = number(value, most < 0.05 ? 3 : 2);
  const isNothing = Number(written) === 0;
  const made = element("td", { title: number(value, 4) }, isNothing ? "0" : written);
  made.classList.toggle("faint", isNothing && Math.abs(value) < 0.08 * most);
  return tint(made, value / most);
}
