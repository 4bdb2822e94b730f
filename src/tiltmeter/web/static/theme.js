"use strict";
// Runs before the page is drawn, so that it does not flash in the other colours.
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem("theme"); } catch { /* A browser that keeps nothing follows the system. */ }
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
})();
