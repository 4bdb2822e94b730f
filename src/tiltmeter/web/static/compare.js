"use strict";
// Texts that a row or a point opens stand below everything else: go there.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target?.id === "behind") event.detail.target.scrollIntoView({ block: "start" });
});
