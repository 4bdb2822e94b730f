"use strict";
// Texts that a row or a point opens are below everything else: go there, and back to what opened them.
(() => {
  let opener = null;
  document.addEventListener("click", (event) => {
    if (event.target.closest?.("[data-close-texts]")) {
      document.getElementById("texts-behind").replaceChildren();
      opener?.scrollIntoView({ block: "center" });
      opener?.focus({ preventScroll: true });
    } else opener = event.target.closest?.("#compared a, #compared .vega") ?? opener;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target?.id === "texts-behind") event.detail.target.scrollIntoView({ block: "start" });
  });
})();
