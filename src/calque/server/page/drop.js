// Files that are let go over the page.

// Two at once go to both sides, the first to the one they were dropped on.
export function acceptDrops(area, sides, changed) {
  const sideAt = (event) => sides.find(({ root }) => root.contains(event.target));
  const light = (lit) => sides.forEach(({ root }) => root.classList.toggle("over", root === lit));

  area.addEventListener("dragover", (event) => light(carriesFiles(event) ? sideAt(event)?.root : null));
  area.addEventListener("dragleave", () => light(null));
  area.addEventListener("drop", async (event) => {
    light(null);
    const on = sideAt(event);
    if (!on || !carriesFiles(event)) return;
    const [first, second] = event.dataTransfer.files;
    const other = sides.find((side) => side !== on);
    await Promise.all([first && on.side.take(first), second && other.side.take(second)]);
    changed(true);
  });

  // A file that misses its place would otherwise be opened instead of the page.
  for (const kind of ["dragover", "drop"]) {
    window.addEventListener(kind, (event) => carriesFiles(event) && event.preventDefault());
  }
}

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;
