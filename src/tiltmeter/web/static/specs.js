"use strict";
// Writing a spec: line numbers and marks, the way from a problem to its place, and suggestions by keyboard.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);

  // --- A file that is chosen is read into the field beside it; it does not leave the page otherwise.
  for (const input of all("input[type=file][data-into]"))
    input.addEventListener("change", async () => {
      if (!input.files.length) return;
      byId(input.dataset.into).value = await input.files[0].text();
      const name = byId(input.dataset.names ?? "");
      if (name && !name.value)
        name.value = input.files[0].name.replace(/\.[^.]*$/, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 80);
    });

  const form = byId("spec");
  if (!form) return;
  let unsaved = false;

  // --- Line numbers, and a mark where something is wrong. Rows of groups stand beside one another.
  const fit = () => {
    const longest = (areas) => Math.max(5, ...areas.map((area) => area.value.split("\n").length)) + 1;
    const groups = all(".groups textarea.lines", form);
    for (const area of all("textarea.lines", form)) area.rows = longest(groups.includes(area) ? groups : [area]);
  };
  const marks = () => {
    const wrong = new Map();
    for (const finding of all("#checked .finding")) {
      const place = placeOf(finding);
      if (place && place.row !== null) wrong.set(place.field, (wrong.get(place.field) ?? new Set()).add(place.row));
    }
    return wrong;
  };
  const placeOf = (finding) => {
    if (finding.dataset.field !== undefined) {
      const field = byId(`f:${finding.dataset.field}`);
      return field && { field, row: finding.dataset.row === "" ? null : Number(finding.dataset.row) };
    }
    const field = byId("text");
    return field && { field, row: finding.dataset.line ? Number(finding.dataset.line) - 1 : null };
  };
  const number = () => {
    const wrong = marks();
    for (const area of all(".code-area textarea", form)) {
      const gutter = area.parentElement.querySelector(".gutter");
      const count = area.value.split("\n").length;
      while (gutter.childElementCount > count) gutter.lastElementChild.remove();
      while (gutter.childElementCount < count) {
        const line = document.createElement("span");
        line.textContent = gutter.childElementCount + 1;
        gutter.append(line);
      }
      const rows = wrong.get(area) ?? new Set();
      [...gutter.children].forEach((line, row) => line.classList.toggle("wrong", rows.has(row)));
      gutter.style.transform = `translateY(${-area.scrollTop}px)`;
    }
  };
  // A list that was typed or pasted as one line with commas is offered to be split.
  const offerSplit = () => {
    for (const area of all("textarea.lines[name$='.terms']", form)) {
      const place = area.closest(".side");
      const listed = area.value.split("\n").some((line) => /,.*,|^[^,\s]+, *[^,\s]+$/.test(line));
      let offer = place.querySelector(".split");
      if (listed && !offer) {
        offer = document.createElement("button");
        offer.type = "button";
        offer.className = "quiet small split";
        offer.textContent = "One term per line: split at the commas";
        offer.addEventListener("click", () => {
          area.value = area.value.split(/[,\n]/).map((term) => term.trim()).filter(Boolean).join("\n");
          area.dispatchEvent(new Event("input", { bubbles: true }));
          area.focus();
        });
        area.parentElement.after(offer);
      } else if (!listed) offer?.remove();
    }
  };
  const dress = () => { fit(); number(); offerSplit(); };
  form.addEventListener("scroll", (event) => {
    const gutter = event.target.parentElement?.querySelector(":scope > .gutter");
    if (gutter) gutter.style.transform = `translateY(${-event.target.scrollTop}px)`;
  }, true);

  // --- From a problem to its place.
  const goTo = ({ field, row }) => {
    field.closest("details")?.setAttribute("open", "");
    field.focus();
    if (row !== null && field.setSelectionRange) {
      const lines = field.value.split("\n");
      const start = lines.slice(0, row).reduce((sum, line) => sum + line.length + 1, 0);
      field.setSelectionRange(start, start + (lines[row] ?? "").length);
      const height = parseFloat(getComputedStyle(field).lineHeight);
      field.scrollTop = Math.max(0, (row - 4) * height);
      field.scrollLeft = 0;
      const top = field.getBoundingClientRect().top + (row * height) - field.scrollTop;
      if (top < 40 || top > window.innerHeight - 120) window.scrollBy({ top: top - window.innerHeight / 3 });
    } else {
      field.scrollIntoView({ block: "center" });
    }
  };
  document.addEventListener("click", (event) => {
    const finding = event.target.closest?.(".finding");
    const place = finding && placeOf(finding);
    if (place) goTo(place);
  });

  const visibleOffers = () => all(".accept").filter((offer) => offer.checkVisibility());

  // --- What is typed.
  form.addEventListener("input", (event) => {
    unsaved = true;
    byId("saved").textContent = "";
    dress();
    const key = event.target.dataset?.names;
    if (key) for (const label of all(`[data-called="${key}"]`, form)) label.textContent = event.target.value || "(no name)";
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); byId("save").click(); }
    const offer = event.target.closest?.(".accept");
    if (offer && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const offers = visibleOffers();
      const next = offers[offers.indexOf(offer) + (event.key === "ArrowDown" ? 1 : -1)];
      if (next) { event.preventDefault(); next.focus(); }
    }
  });
  window.addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });

  // --- What the server answers.
  let accepted = null;
  let scrolled = new Map();
  let open = new Set();
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.elt.matches(".accept")) accepted = visibleOffers().indexOf(event.detail.elt);
    if (event.detail.elt.matches(".accept, .drop")) unsaved = true;
  });
  document.addEventListener("htmx:beforeSwap", () => {
    scrolled = new Map(all("textarea[id]", form).map((area) => [area.id, area.scrollTop]));
    open = new Set(all("details[id][open]").map((details) => details.id));
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    for (const id of open) byId(id)?.setAttribute("open", "");
    dress();
    for (const [id, top] of scrolled) { const area = byId(id); if (area && area !== document.activeElement) area.scrollTop = top; }
    const wanted = form.querySelector("[data-focus]");
    if (wanted) { wanted.focus(); delete wanted.dataset.focus; }
    if (event.detail.target?.id !== "checked") return;
    const said = byId("checked").querySelector(".verdict")?.textContent ?? "";
    if (byId("announced").textContent !== said) byId("announced").textContent = said;
    const count = all("#checked .finding").length;
    byId("count").textContent = `${count} ${count === 1 ? "problem" : "problems"}`;
    byId("count").classList.toggle("warn", count > 0);
    lists();
    if (accepted !== null) {
      const offers = visibleOffers();
      (offers[Math.min(accepted, offers.length - 1)] ?? byId("save")).focus();
      accepted = null;
    }
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.elt.id === "save" && event.detail.successful) unsaved = false;
  });

  // --- The lists that the model can be asked about are those that are there now.
  const lists = () => {
    const select = byId("ask-list");
    const chosen = select.value;
    select.replaceChildren(...all("#lists li").map((item) => {
      const option = document.createElement("option");
      option.value = item.dataset.value;
      option.textContent = item.textContent;
      option.selected = option.value === chosen;
      return option;
    }));
  };

  dress();
})();
