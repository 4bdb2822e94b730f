"use strict";
// The texts behind a point open in a drawer, which the keyboard can close again.
(() => {
  const drawer = document.getElementById("drawer");
  const shut = document.getElementById("drawer-close");
  let before = null;
  const open = () => {
    document.querySelector(".tip").hidden = true;
    if (!drawer.hidden) return;
    before = document.activeElement;
    drawer.hidden = false;
    shut.focus();
  };
  const close = () => {
    if (drawer.hidden) return;
    drawer.hidden = true;
    document.getElementById("drawer-texts").replaceChildren();
    if (before?.isConnected) before.focus();
  };
  // What was pointed at, in the words that it has there: those of the point, or of the row of the table.
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.target?.id !== "drawer-texts") return;
    const tip = document.querySelector(".tip");
    const row = event.detail.elt.closest("tr")?.querySelector("th");
    document.getElementById("drawer-about").textContent = row ? row.textContent : tip.hidden ? "" : tip.textContent;
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id === "drawer-texts") open();
  });
  shut.addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
})();
