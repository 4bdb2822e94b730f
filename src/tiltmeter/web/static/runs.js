"use strict";
// A run that goes on: the page is loaded anew when it ends, and when the server was away (it has another secret then).
(() => {
  const run = document.getElementById("run");
  let opened = false;
  run.addEventListener("htmx:sseOpen", () => {
    if (opened) location.reload();
    opened = true;
  });
  run.addEventListener("htmx:sseClose", (event) => {
    if (event.detail.type === "message") location.reload();
  });

  // A reader who cannot see it is told of each new step, not of each number.
  let step = "";
  run.addEventListener("htmx:sseMessage", () => {
    const now = document.querySelector("#live tbody tr:last-child th")?.textContent ?? "";
    if (now !== step) document.getElementById("told").textContent = step = now;
  });
})();
