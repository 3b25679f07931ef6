// Two texts in, the pairs of lines that translate each other out.

import { ask } from "./api.js";
import { byId } from "./dom.js";
import { acceptDrops } from "./drop.js";
import { TO_MINE } from "./examples.js";
import { count } from "./scale.js";
import { showPairs } from "./pairs.js";
import { Side } from "./side.js";
import { task } from "./task.js";

export function startMining() {
  const form = byId("mine-form");
  const status = byId("mine-status");
  const source = new Side(byId("source"), changed);
  const target = new Side(byId("target"), changed);
  const both = [source, target];

  const mine = task(byId("mine-problem"), async (signal, texts) => {
    byId("mined").hidden = true;
    status.textContent = texts ? working(texts) : "";
    if (texts === undefined) return;
    try {
      const answer = await ask("v1/mine", texts, signal);
      status.textContent = "";
      byId("mined").hidden = false;
      showPairs(answer, status);
    } catch (problem) {
      if (!signal.aborted) status.textContent = "";
      throw problem;
    }
  });

  const texts = () => ({ source: source.lines, target: target.lines });
  const isReady = () => both.every((side) => side.lines.length);

  // What was found in other texts than those that are shown would only mislead.
  function changed(byFile) {
    mine(byFile && isReady() ? texts() : undefined);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    for (const side of both) if (side.lines.length === 0) side.say("There are no lines here yet.");
    if (isReady()) mine(texts());
  });
  byId("mine-example").addEventListener("click", () => {
    source.paste(TO_MINE.source.join("\n"));
    target.paste(TO_MINE.target.join("\n"));
    mine(texts());
  });
  const areas = [{ root: byId("source"), side: source }, { root: byId("target"), side: target }];
  acceptDrops(byId("sides"), areas, changed);
}

function working({ source, target }) {
  return `Looking for pairs among ${count(source.length)} and ${count(target.length)} lines …`;
}
