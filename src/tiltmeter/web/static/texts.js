"use strict";
// Texts stand behind a choice: who opens them once sees them for as long as the browser session lasts.
(() => {
  const KEY = "texts-shown";
  const remembered = () => { try { return sessionStorage.getItem(KEY) === "yes"; } catch { return false; } };
  const remember = (shown) => { try { sessionStorage.setItem(KEY, shown ? "yes" : "no"); } catch { /* Asked again, then. */ } };

  const openAll = (within) => {
    if (!remembered()) return;
    for (const place of within.querySelectorAll("details[data-texts]:not([open])")) { place.open = true; place.classList.add("chosen"); }
  };
  document.addEventListener("toggle", (event) => {
    if (!event.target.matches?.("details[data-texts]")) return;
    remember(event.target.open);
    openAll(document);
  }, true);
  document.addEventListener("htmx:afterSettle", (event) => openAll(event.detail.elt.parentElement ?? document));

  // An address says what was chosen, and nothing of what was not.
  document.addEventListener("htmx:configRequest", (event) => {
    if (!event.detail.elt.closest("[data-filters]")) return;
    for (const [name, value] of [...event.detail.formData.entries()]) if (value === "") event.detail.formData.delete(name);
  });
  openAll(document);
})();
