"use strict";
// Judging texts with the keyboard, and the name of who judges.
(() => {
  const KEY = "annotator";
  const known = () => { try { return localStorage.getItem(KEY) ?? ""; } catch { return ""; } };
  const keep = (name) => { try { localStorage.setItem(KEY, name); } catch { /* Asked again, then. */ } };

  // --- Who judges: asked once, then filled in.
  for (const field of document.querySelectorAll("[data-annotator]")) if (!field.value) field.value = known();
  for (const link of document.querySelectorAll("a[data-as]"))
    if (known()) link.href += `?as=${encodeURIComponent(known())}`;
  document.addEventListener("submit", (event) => {
    const name = event.target.closest("[data-keeps-name]")?.querySelector("[data-annotator]")?.value.trim();
    if (name) keep(name);
  }, true);

  // --- A sheet from a file.
  document.addEventListener("change", async (event) => {
    const into = event.target.dataset?.fills;
    if (into && event.target.files.length) document.getElementById(into).value = await event.target.files[0].text();
  });

  // --- Keys.
  const ALIASES = { ArrowRight: "j", ArrowDown: "j", ArrowLeft: "k", ArrowUp: "k" };
  const step = () => document.querySelector("[data-step]");
  const isTyping = (at) => at.matches?.("textarea, select, input:not([type=checkbox]):not([type=radio])");
  const changed = (form) => form && [...form.querySelectorAll("input[type=checkbox]")].some((box) => box.checked !== box.defaultChecked);

  document.addEventListener("keydown", (event) => {
    const place = step();
    if (!place || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    // A key that is held down judges one text, and not all that come.
    if (event.repeat || place.closest(".htmx-request") || place.querySelector(".htmx-request")) { event.preventDefault(); return; }
    const key = ALIASES[event.key] ?? event.key;
    const number = place.querySelector("[data-number]");
    if (number && /^[-−0-9.,]$/.test(key)) { number.value = ""; number.focus(); return; }
    // A button or link that has the focus is meant by Enter.
    if (key === "Enter" && event.target.closest?.("a, button")) return;
    const control = place.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!control) return;
    event.preventDefault();
    const form = place.querySelector("[data-marks]");
    if ((key === "j" || key === "k") && changed(form)) {
      form.querySelector("[name=go]").value = key === "k" ? "-1" : "1";
      form.requestSubmit(form.querySelector("[value=save]"));
    } else control.click();
  });

  // Nobody judges a text that is closed: it is opened first.
  document.addEventListener("submit", (event) => {
    const text = event.target.matches("[data-marks]") && step().querySelector("details[data-texts]:not([open])");
    if (!text || event.submitter?.value === "skip") return;
    event.preventDefault();
    event.stopPropagation();
    text.open = true;
    step().querySelector("[data-closed]").hidden = false;
  }, true);

  document.addEventListener("click", (event) => {
    const name = event.target.closest?.("[data-opens]")?.dataset.opens;
    if (name) document.getElementById(name).showModal();
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.elt.matches?.("[data-step]")) event.detail.elt.focus({ preventScroll: true });
  });
  step()?.focus({ preventScroll: true });
})();
