// Elements, built without ever reading HTML: whatever a sentence holds, it is shown as text.

export const byId = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Somebody's text: nobody knows its language, and it may run from right to left.
export function text(tag, content, attributes = {}) {
  return element(tag, { lang: "", dir: "auto", ...attributes }, content);
}

export function unseen(content) {
  return element("span", { class: "unseen" }, content);
}
