// Asks the server, and goes on with a token where it wants one.

import { currentToken, requestToken } from "./token.js";

// What the server, or the way to it, has against a request, in words for whoever made it.
export class Problem extends Error {}

// Paths have no slash in front: the page also works under a path of somebody's proxy.
export async function ask(path, message, signal) {
  for (;;) {
    const token = currentToken();
    const answer = await send(path, message, token, signal);
    const content = await contentOf(answer);
    signal?.throwIfAborted();
    if (answer.ok && content) return content;
    const problem = content?.error?.message ?? `the server answered ${answer.status} ${answer.statusText}`;
    if (answer.status !== 401) throw new Problem(sentence(problem));
    if (token === currentToken()) await requestToken(token); // else another has been given since
  }
}

async function send(path, message, token, signal) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const options = { headers, signal };
  if (message) {
    headers["Content-Type"] = "application/json";
    Object.assign(options, { method: "POST", body: JSON.stringify(message, whole) });
  }
  try {
    return await fetch(path, options);
  } catch (problem) {
    signal?.throwIfAborted();
    throw new Problem("The server does not answer. Is it still running?", { cause: problem });
  }
}

// Half a character, which a paste may leave behind, is no JSON.
const whole = (_, value) => (typeof value === "string" ? (value.toWellFormed?.() ?? value) : value);

// Nothing, where a proxy on the way answers with something else than JSON.
async function contentOf(answer) {
  try {
    return await answer.json();
  } catch {
    return null;
  }
}

function sentence(message) {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
