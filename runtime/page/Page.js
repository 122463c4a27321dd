// Sorting by column, and printing with everything opened. The page can be read
// without either.
"use strict";

function sortBy(table, column, descending) {
  for (const body of table.tBodies) {
    const key = (row) => {
      const cell = row.cells[column];
      const value = parseFloat(cell.dataset.v);
      return isNaN(value) ? cell.textContent : value;
    };
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (typeof x !== typeof y)
        return typeof x === "number" ? -1 : 1; // What has no figure comes last.
      const order = typeof x === "number" ? x - y : x.localeCompare(y);
      return descending ? -order : order;
    };
    body.append(...[...body.rows].sort(compare));
  }
}

for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    if (heading.querySelector(".key"))
      return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const descending = heading.getAttribute("aria-sort") !== "descending";
      for (const other of headings)
        other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sortBy(table, column, descending);
    });
  });
}

let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const details of opened)
    details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of opened)
    details.open = false;
});
