// One stop of the Tab key for a whole table of buttons: arrow keys, Home and End move inside it.

const MOVES = {
  ArrowUp: (row, column) => [row - 1, column],
  ArrowDown: (row, column) => [row + 1, column],
  ArrowLeft: (row, column) => [row, column - 1],
  ArrowRight: (row, column) => [row, column + 1],
  Home: (row) => [row, 0],
  End: (row, _, last) => [row, last],
};

export function rove(table, [row, column]) {
  const buttons = [...table.tBodies[0].rows].map((each) => [...each.querySelectorAll("button")]);
  let stop = buttons[row][column];
  for (const button of buttons.flat()) button.tabIndex = button === stop ? 0 : -1;

  table.addEventListener("focusin", (event) => {
    stop.tabIndex = -1;
    stop = event.target;
    stop.tabIndex = 0;
  });
  table.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault(); // or the page would scroll
    const at = buttons.findIndex((each) => each.includes(stop));
    const [row, column] = move(at, buttons[at].indexOf(stop), buttons[at].length - 1);
    buttons[row]?.[column]?.focus();
  });
}
