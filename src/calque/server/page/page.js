// Starts everything; each part has a file of its own.

import { showAbout, startExample } from "./about.js";
import { ask } from "./api.js";
import { startComparison } from "./comparison.js";
import { startExplanation } from "./explanation.js";
import { startMining } from "./mining.js";
import { startSearch } from "./search.js";
import { task } from "./task.js";

startComparison(startExplanation());
startMining();

task(document.querySelector("footer > .problem"), async () => {
  const health = await ask("health");
  startExample(health.model);
  startSearch(health.entries);
  await showAbout(health);
})();
