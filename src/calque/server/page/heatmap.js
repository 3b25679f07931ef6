// A table of numbers with a head for each row and column.

import { element, unseen } from "./dom.js";

// `rows` and `columns` are nodes, `cell(row, column)` makes the td.
export function heatmap(caption, rows, columns, cell) {
  const heads = columns.map((head) => element("th", { scope: "col" }, head));
  const body = rows.map((head, row) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, head),
      ...columns.map((_, column) => cell(row, column)),
    ),
  );
  return element(
    "table",
    { class: "heatmap" },
    element("caption", {}, unseen(caption)),
    element("thead", {}, element("tr", {}, element("td"), ...heads)),
    element("tbody", {}, ...body),
  );
}
