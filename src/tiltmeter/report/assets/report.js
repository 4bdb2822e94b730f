"use strict";
// Makes the tables sort on a click or a key press, and opens closed parts for print. Without this script they are plain
// tables and nothing is lost.
(() => {
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.sort === undefined ? cell.textContent.trim() : cell.dataset.sort;
  };

  const compare = (numeric) => (one, other) =>
    numeric ? Number(one) - Number(other) : one.localeCompare(other, "en", { numeric: true });

  const sort = (table, heading, column) => {
    const descending = heading.getAttribute("aria-sort") === "ascending";
    const numeric = heading.classList.contains("number");
    const order = compare(numeric);
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row) => [value(row, column), row]);
    rows.sort(([one], [other]) => {
      // What has no number stands last, whichever way the rest is sorted.
      if (one === "" || other === "") return (one === "") - (other === "");
      return descending ? order(other, one) : order(one, other);
    });
    body.append(...rows.map(([, row]) => row));
    for (const other of heading.parentElement.cells) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading, column));
      heading.append(button);
      heading.setAttribute("aria-sort", "none");
    });
  }

  // Texts behind a warning stay as the reader left them.
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("details:not(.warning):not([open])"));
    for (const part of opened) part.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
  });
})();
