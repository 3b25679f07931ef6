// The entries of the index that mean the same as a query.

import { ask } from "./api.js";
import { byId, element, text } from "./dom.js";
import { count, number, tint } from "./scale.js";
import { task } from "./task.js";

const FIRST = 10; // hits
const MOST = 1000; // that the server gives

// `entries` of the index, null where there is none.
export function startSearch(entries) {
  const form = byId("search-form");
  const status = byId("search-status");
  const more = byId("more-hits");
  form.hidden = entries === null;
  byId("no-index").hidden = entries !== null;
  if (entries === null) return;
  status.textContent = `${count(entries)} entries`;
  let asked = { query: "", k: FIRST };

  const search = task(document.querySelector("#search > .problem"), async (signal) => {
    const results = await found(asked, signal);
    byId("hits").replaceChildren(...results[0].map(hit));
    status.textContent = `The nearest ${count(results[0].length)} of ${count(entries)} entries`;
    more.hidden = results[0].length < asked.k || asked.k >= MOST;
  });

  async function found(asked, signal) {
    try {
      return (await ask("v1/search", asked, signal)).results;
    } catch (problem) {
      if (!signal.aborted) clear(); // hits of another query would only mislead
      throw problem;
    }
  }

  function clear() {
    byId("hits").replaceChildren();
    status.textContent = "";
    more.hidden = true;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    asked = { query: byId("query").value, k: FIRST };
    search();
  });
  more.addEventListener("click", () => {
    asked = { ...asked, k: Math.min(MOST, asked.k * 5) };
    search();
  });
}

function hit({ score, text: entry, file, line }) {
  const place = file === null ? [] : [element("span", { class: "place" }, line === null ? file : `${file}:${line}`)];
  return element(
    "li",
    {},
    tint(element("span", { class: "score" }, number(score)), score),
    element("div", {}, text("p", entry), ...place),
  );
}
