"use strict";
// Copying a text, and leaving open what the reader opened while the answer comes in part by part.
(() => {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button) return;
    const text = document.getElementById(button.dataset.copy).textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select the text and copy it: this browser does not let a page do so";
    }
  });

  // A sentence is one line: Enter asks.
  document.getElementById("ask").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || !event.target.matches("textarea")) return;
    event.preventDefault();
    event.currentTarget.requestSubmit();
  });

  let open = new Set();
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target.id === "answer")
      open = new Set([...document.querySelectorAll("#answer details[data-keep][open]")].map((one) => one.dataset.keep));
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "answer")
      for (const one of document.querySelectorAll("#answer details[data-keep]")) one.open = open.has(one.dataset.keep);
  });
})();
