// The token, if the server wants one: kept for this tab alone, asked for when it is missing or wrong.

import { byId } from "./dom.js";

const KEY = "calque-token";

let token = stored();
let asking = null;

export const currentToken = () => token;

// Settles once somebody has typed a token; all who wait meanwhile wait for the same one. `refused` is the one before.
export function requestToken(refused) {
  asking ??= new Promise((resolve) => open(refused ? "The server does not take this token." : "", resolve)).then((given) => {
    token = given;
    asking = null;
    store();
  });
  return asking;
}

function open(problem, resolve) {
  const form = byId("token");
  const field = byId("token-field");
  const said = form.querySelector(".problem");
  form.hidden = false;
  said.textContent = problem;
  if (!isWriting()) field.focus();
  form.onsubmit = (event) => {
    event.preventDefault();
    const given = field.value.trim();
    if (!/^[\x21-\x7e]+$/.test(given)) {
      said.textContent = "A token has letters, digits and signs only, and no spaces.";
      return;
    }
    field.value = "";
    form.hidden = true;
    resolve(given);
  };
}

// The field must not catch the rest of a sentence that somebody is in the middle of.
function isWriting() {
  return document.activeElement.matches("textarea, input");
}

function stored() {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return ""; // storage is turned off: the token lasts until the page is left
  }
}

function store() {
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // see above
  }
}
