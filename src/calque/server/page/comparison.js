// Sentences in, the table of their similarities out, as they are typed.

import { ask } from "./api.js";
import { byId, element, text, unseen } from "./dom.js";
import { SENTENCES } from "./examples.js";
import { heatmap } from "./heatmap.js";
import { rove } from "./roving.js";
import { count, number, tint } from "./scale.js";
import { task } from "./task.js";

const MOST = 40; // sentences; more cells than 1,600 nobody looks at
const PAUSE = 150; // milliseconds without a key before the server is asked

// `choose(first, second, byHand)` is told which pair to explain, or nothing where there is none.
export function startComparison(choose) {
  const field = byId("sentences");
  const matrix = byId("matrix");
  const status = byId("matrix-status");
  let chosen = [0, 1];
  let waiting;

  const compare = task(document.querySelector("#compare .problem"), async (signal) => {
    const all = sentencesOf(field.value);
    const sentences = all.slice(0, MOST);
    status.textContent = remark(all.length);
    if (sentences.length === 0) {
      matrix.replaceChildren();
      choose();
      return;
    }
    const similarities = await fetchSimilarities(sentences, signal);
    chosen = chosen.map((at) => Math.min(at, sentences.length - 1));
    show(sentences, similarities);
  });

  async function fetchSimilarities(sentences, signal) {
    try {
      const { similarities } = await ask("v1/similarity", { first: sentences }, signal);
      matrix.classList.remove("stale");
      return similarities;
    } catch (problem) {
      if (!signal.aborted) matrix.classList.add("stale"); // what it shows is about other sentences
      throw problem;
    }
  }

  function show(sentences, similarities) {
    const heads = sentences.map((sentence, at) => [marked(at), text("span", sentence, { class: "sentence" })]);
    const table = heatmap(
      "How alike the sentences mean",
      heads.map((head) => element("div", { class: "head" }, ...head)),
      sentences.map((sentence, at) => element("span", { title: sentence }, marked(at), unseen(sentence))),
      (row, column) => element("td", {}, cell(row, column, similarities[row][column])),
    );
    table.setAttribute("role", "grid");
    table.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      chosen = [Number(button.dataset.row), Number(button.dataset.column)];
      mark(table);
      choose(sentences[chosen[0]], sentences[chosen[1]], true);
    });
    const [left, top] = [matrix.scrollLeft, matrix.scrollTop];
    matrix.replaceChildren(table);
    matrix.scrollTo(left, top);
    rove(table, chosen);
    mark(table);
    byId("matrix-spoken").textContent = spoken(similarities);
    choose(sentences[chosen[0]], sentences[chosen[1]]);
  }

  function mark(table) {
    table.querySelector("[aria-current]")?.removeAttribute("aria-current");
    table.rows[chosen[0] + 1].cells[chosen[1] + 1].firstChild.setAttribute("aria-current", "true");
  }

  field.value = SENTENCES.join("\n");
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(compare, PAUSE);
  });
  compare();
}

function cell(row, column, similarity) {
  const button = element(
    "button",
    {
      type: "button",
      "aria-label": `${number(similarity)}, sentences ${row + 1} and ${column + 1}`,
      "aria-controls": "explanation",
      "data-row": row,
      "data-column": column,
    },
    number(similarity),
  );
  return tint(button, similarity);
}

const marked = (at) => element("span", { class: "number" }, String(at + 1));

function sentencesOf(written) {
  return written.split("\n").map((line) => line.trim()).filter(Boolean);
}

// For those who hear the page: what others see at a glance.
function spoken(similarities) {
  const pairs = similarities.flatMap((row, at) => row.slice(0, at).map((value, other) => ({ value, at, other })));
  if (pairs.length === 0) return "";
  const { value, at, other } = pairs.reduce((best, pair) => (pair.value > best.value ? pair : best));
  const most = `${other + 1} and ${at + 1} are the most alike, ${number(value)}`;
  return `${similarities.length} sentences compared; ${most}`;
}

function remark(sentences) {
  if (sentences === 0) return "Write a sentence on each line.";
  return sentences > MOST ? `The first ${MOST} of ${count(sentences)} lines; /v1/similarity compares more.` : "";
}
