"use strict";
// The form of a study: searching among specs, adding a model, going to the line of a mistake, and nothing is saved or
// started before the last change has been looked at.
(() => {
  const form = document.getElementById("study");
  const wait = (waiting) => {
    form.dataset.waiting = waiting ? "yes" : "";
    for (const button of form.querySelectorAll("[data-waits]")) button.disabled = waiting;
  };
  let unsaved = false;
  form.addEventListener("input", (event) => {
    if (!event.target.closest(".choices, #toml")) return;
    unsaved = true;
    wait(true);
  });
  window.addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
  // A browser may show the page as it was left, which is before it was saved.
  window.addEventListener("pageshow", (event) => { if (event.persisted && !unsaved) window.location.reload(); });
  // Saved, started or removed: another page comes.
  document.addEventListener("htmx:beforeOnLoad", (event) => { if (event.detail.xhr.status === 204) unsaved = false; });
  form.addEventListener("submit", (event) => {
    if (!form.dataset.waiting) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  document.addEventListener("htmx:afterRequest", (event) => {
    const { pathInfo, xhr } = event.detail;
    // Of two questions the later one counts; the earlier was called off, and has no answer.
    if (pathInfo.requestPath.startsWith("/studies/check") && xhr.status !== 0) wait(false);
  });

  document.addEventListener("input", (event) => {
    const list = event.target.dataset?.filters;
    if (!list) return;
    // What is typed here searches, and changes nothing in the study.
    event.stopImmediatePropagation();
    const wanted = event.target.value.trim().toLowerCase();
    for (const box of document.getElementById(list).querySelectorAll(".box"))
      box.hidden = !box.querySelector("input").checked && !box.textContent.toLowerCase().includes(wanted);
  }, true);

  const toLine = (number) => {
    const text = document.getElementById("toml");
    document.getElementById("toml-part").open = true;
    const lines = text.value.split("\n");
    const start = lines.slice(0, number - 1).reduce((sum, line) => sum + line.length + 1, 0);
    text.focus();
    text.setSelectionRange(start, start + (lines[number - 1] ?? "").length);
    text.scrollTop = Math.max(0, (number - 4) * parseFloat(getComputedStyle(text).lineHeight));
  };

  document.addEventListener("click", (event) => {
    const line = event.target.closest?.("[data-line]");
    if (line) toLine(Number(line.dataset.line));
    const adder = event.target.closest?.("[data-adds]");
    if (!adder) return;
    const models = document.getElementById("models");
    const names = models.value.split("\n").map((one) => one.trim()).filter(Boolean);
    if (names.includes(adder.dataset.adds)) return;
    models.value = [...names, adder.dataset.adds].join("\n");
    models.dispatchEvent(new Event("input", { bubbles: true }));
  });
})();
