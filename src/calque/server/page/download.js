// A file for the reader to keep.

// As `calque mine` writes them.
export function tsv(pairs) {
  return pairs.map(({ score, source, target }) => `${score.toFixed(6)}\t${squeezed(source)}\t${squeezed(target)}\n`).join("");
}

// A tab inside a sentence would shift the columns.
const squeezed = (sentence) => sentence.split(/\s+/).filter(Boolean).join(" ");

export function download(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "text/tab-separated-values" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // some browsers begin to read it only later
}
