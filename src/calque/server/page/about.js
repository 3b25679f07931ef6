// Which model this is, and how a program asks it.

import { ask } from "./api.js";
import { byId } from "./dom.js";
import { count } from "./scale.js";
import { currentToken } from "./token.js";

export async function showAbout(health) {
  const { data } = await ask("v1/models");
  byId("about").textContent = [
    `Model ${data.map(({ id }) => id).join(", also called ")}`,
    `${count(health.dimensions)} dimensions`,
    `Calque ${health.version}`,
  ].join(" · ");
  showExample(health.model); // again: only now is it known whether a token is needed
}

export function startExample(model) {
  const copy = byId("copy");
  showExample(model);
  copy.addEventListener("click", async () => {
    const code = byId("curl").firstChild;
    try {
      await navigator.clipboard.writeText(code.textContent);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code); // browsers copy by themselves only on https and at home
      copy.textContent = "Selected";
    }
  });
}

function showExample(model) {
  const address = new URL("v1/embeddings", document.baseURI).href;
  const lines = [
    `curl ${address}`,
    ...(currentToken() ? ['-H "Authorization: Bearer $CALQUE_TOKEN"'] : []),
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify({ model, input: ["Good morning!", "Buenos días."] }))}`,
  ];
  byId("curl").firstChild.textContent = lines.join(" \\\n  ");
}

// For a shell, whatever the model's folder is called.
const quoted = (argument) => `'${argument.replaceAll("'", "'\\''")}'`;
