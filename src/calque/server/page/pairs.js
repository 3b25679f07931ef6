// Mined pairs: how good they must be, which are left, and a file of those.

import { download, tsv } from "./download.js";
import { byId, element, text } from "./dom.js";
import { count, number } from "./scale.js";

const FIRST = 20; // rows that are shown at first
const PAGE = 100; // rows that "More" adds
const STEP = 0.001;

export function showPairs(answer, status) {
  const { pairs, suggested_threshold: suggested, expected_precision_range: precision } = answer;
  const slider = byId("threshold");
  const typed = byId("threshold-number");
  const more = byId("more-pairs");
  const scores = pairs.map(({ score }) => score);
  const least = floor(Math.min(...ends(scores), suggested ?? Infinity));
  let kept = pairs;
  let rows = FIRST;

  function keep(threshold) {
    kept = pairs.filter(({ score }) => score >= threshold);
    rows = FIRST;
    status.textContent = `${count(kept.length)} of ${count(pairs.length)} pairs kept`;
    byId("download").disabled = kept.length === 0;
    show();
  }

  function show() {
    byId("pairs").replaceChildren(tableOf(kept.slice(0, rows)));
    more.hidden = kept.length <= rows;
    more.textContent = `More (${count(kept.length - rows)})`;
  }

  function set(threshold) {
    slider.value = threshold;
    typed.value = threshold.toFixed(3);
    keep(threshold);
  }

  for (const field of [slider, typed]) {
    field.min = least;
    field.max = floor(Math.max(...ends(scores), suggested ?? -Infinity) + STEP);
  }
  slider.oninput = () => {
    typed.value = slider.valueAsNumber.toFixed(3);
    keep(slider.valueAsNumber);
  };
  typed.oninput = () => {
    if (Number.isNaN(typed.valueAsNumber)) return; // in the middle of being typed
    slider.value = typed.valueAsNumber;
    keep(typed.valueAsNumber);
  };
  more.onclick = () => {
    rows += PAGE;
    show();
  };
  byId("suggested").hidden = suggested === null;
  byId("suggested").textContent = suggested === null ? "" : `Suggested: ${floor(suggested).toFixed(3)}`;
  byId("suggested").onclick = () => set(floor(suggested));
  byId("download").onclick = () => download("pairs.tsv", tsv(kept));
  byId("threshold-note").textContent = [note(suggested, precision, answer.doubt), ...answer.warnings.map((each) => `${each}.`)].join(" ");
  set(suggested === null ? least : floor(suggested));
}

// Scores come best first; a spread of 20,000 arguments would be too many for some browsers.
const ends = (scores) => (scores.length ? [scores[0], scores.at(-1)] : [0]);

// Down, so that the pair the threshold comes from is kept.
const floor = (value) => Number((Math.floor(value / STEP) * STEP).toFixed(3));

function note(suggested, precision, doubt) {
  if (suggested === null) return "There are too few sentences to suggest a threshold: all are kept.";
  if (precision === null) return `How many of the pairs are right cannot be estimated: ${doubt}.`;
  const [low, high] = precision.map((share) => Math.round(100 * share));
  return `At the suggested threshold, ${low} to ${high} % of the pairs are expected to be right.`;
}

function tableOf(pairs) {
  const head = ["Score", "One language", "The other"].map((name) => element("th", { scope: "col" }, name));
  const rows = pairs.map(({ score, source, target, source_line, target_line }) =>
    element(
      "tr",
      {},
      element("td", { class: "score" }, number(score, 3)),
      sentence(source, source_line),
      sentence(target, target_line),
    ),
  );
  return element(
    "table",
    { class: "pairs" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
}

function sentence(content, line) {
  return element("td", {}, text("p", content), element("span", { class: "place" }, `line ${count(line)}`));
}
