// Work of which only the newest run counts, and whose problems are shown in their place.

import { Problem } from "./api.js";

// `work` is given a signal and whatever the task was called with. A new call calls off the one before it, whose answer,
// should it still come, is dropped.
export function task(place, work) {
  let current = null;
  return async (...given) => {
    current?.abort();
    const own = (current = new AbortController());
    try {
      await work(own.signal, ...given);
      if (!own.signal.aborted) place.textContent = "";
    } catch (problem) {
      if (own.signal.aborted) return;
      place.textContent = problem instanceof Problem ? problem.message : `The page failed: ${problem.message}`;
      if (!(problem instanceof Problem)) console.error(problem);
    }
  };
}
