// One of two texts to mine: lines that were pasted, or a file that was chosen or dropped.

import { Problem } from "./api.js";
import { count } from "./scale.js";

export class Side {
  #root;
  #pasted;
  #file = null; // its name and lines

  // `changed(byFile)` hears of other lines; a file is whole, a text may still be in the middle of being typed.
  constructor(root, changed) {
    this.#root = root;
    this.#pasted = root.querySelector("textarea");
    this.#pasted.addEventListener("input", () => {
      this.say("");
      changed(false);
    });
    const input = root.querySelector("[type=file]");
    input.addEventListener("change", async () => {
      if (input.files.length) await this.take(input.files[0]);
      input.value = ""; // or choosing the same file again would be no change
      changed(true);
    });
    root.querySelector(".chosen button").addEventListener("click", () => {
      this.paste("");
      this.#pasted.focus();
      changed(false);
    });
  }

  get lines() {
    return this.#file?.lines ?? linesOf(this.#pasted.value);
  }

  say(problem) {
    this.#root.querySelector(".problem").textContent = problem;
  }

  paste(written) {
    this.#file = null;
    this.#pasted.value = written;
    this.#show();
    this.say("");
  }

  async take(file) {
    try {
      this.#file = { name: file.name, lines: linesOf(await contentOf(file)) };
      this.#show();
      this.say("");
    } catch (problem) {
      this.say(problem instanceof Problem ? problem.message : `${file.name} cannot be read: ${problem.message}`);
    }
  }

  #show() {
    const chosen = this.#root.querySelector(".chosen");
    chosen.hidden = this.#file === null;
    this.#pasted.hidden = this.#file !== null;
    if (this.#file) {
      const { name, lines } = this.#file;
      chosen.querySelector(".name").textContent = `${name}, ${count(lines.length)} ${lines.length === 1 ? "line" : "lines"}`;
    }
  }
}

async function contentOf(file) {
  const bytes = await file.arrayBuffer();
  let content;
  try {
    content = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Problem(`${file.name} is not text in UTF-8. Save it as UTF-8, or unpack it if it is compressed.`);
  }
  if (content.includes("\0")) throw new Problem(`${file.name} is not text: it holds zero bytes.`);
  if (!content.trim()) throw new Problem(`${file.name} is empty.`);
  return content;
}

// As `calque mine` reads them: a line ends at a line feed alone, and a carriage return before it belongs to the end.
// Blank lines stay, so that the numbers of the others are those of the file.
function linesOf(written) {
  const lines = written.split("\n");
  if (lines.at(-1) === "") lines.pop();
  lines.forEach((line, at) => (lines[at] = line.replace(/\r$/, "")));
  return lines.some((line) => line.trim()) ? lines : [];
}
