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
    document.getElementById("texts").replaceChildren();
    if (before?.isConnected) before.focus();
  };
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id === "texts") open();
  });
  shut.addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
})();
