"use strict";
// Sorts tables, copies verbatim text, opens what a link leads to, and opens closed parts for print. Without this
// script the page is complete.
(() => {
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.sort === undefined ? cell.textContent.trim() : cell.dataset.sort;
  };

  const compare = (numeric) => (one, other) =>
    numeric ? Number(one) - Number(other) : one.localeCompare(other, "en", { numeric: true });

  const sort = (table, heading, column) => {
    const descending = heading.getAttribute("aria-sort") === "ascending";
    const order = compare(heading.classList.contains("number"));
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row) => [value(row, column), row]);
    rows.sort(([one], [other]) => {
      // What has no number comes last, whichever way the rest is sorted.
      if (one === "" || other === "") return (one === "") - (other === "");
      return descending ? order(other, one) : order(one, other);
    });
    body.append(...rows.map(([, row]) => row));
    for (const other of heading.parentElement.cells) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  };

  const button = (...contents) => {
    const made = document.createElement("button");
    made.type = "button";
    made.append(...contents);
    return made;
  };

  const sortable = (table) => Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
    const made = button(...heading.childNodes);
    made.addEventListener("click", () => sort(table, heading, column));
    heading.append(made);
    heading.setAttribute("aria-sort", "none");
  });

  const copyable = (block) => {
    const text = block.querySelector("pre");
    const made = button("Copy");
    made.className = "copy";
    made.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
        made.textContent = "Copied";
      } catch {
        // A browser that does not let pages copy lets people: the text is selected for them.
        window.getSelection().selectAllChildren(text);
        made.textContent = "Selected";
      }
      setTimeout(() => { made.textContent = "Copy"; }, 2000);
    });
    block.prepend(made);
  };

  const prepare = () => {
    document.querySelectorAll("table.sortable:not(:has(thead button))").forEach(sortable);
    document.querySelectorAll(".verbatim:not(:has(.copy))").forEach(copyable);
  };
  prepare();
  // In the workbench parts of a page come later.
  document.addEventListener("htmx:afterSettle", prepare);

  const reveal = () => {
    let name = location.hash.slice(1);
    try { name = decodeURIComponent(name); } catch { /* It leads nowhere, then. */ }
    const target = document.getElementById(name);
    if (!target) return;
    for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) {
      // A link is no consent to texts behind a warning.
      if (!part.matches(".warning")) part.open = true;
    }
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", reveal);
  reveal();
  // The same link once more.
  document.addEventListener("click", (event) => {
    if (event.target.closest?.("a")?.hash === location.hash && location.hash) setTimeout(reveal);
  });

  // Texts behind a warning stay as the reader left them.
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll(".part:not([open])"));
    for (const part of opened) part.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
  });
})();
