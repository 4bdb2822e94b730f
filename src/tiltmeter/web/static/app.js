"use strict";
// What every page shares: light and dark, charts, and texts that open where they are asked for.
(() => {
  const root = document.documentElement;
  const isDark = () => root.dataset.theme
    ? root.dataset.theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;

  // --- Charts. A chart is <div class="vega" data-chart="ADDRESS of a Vega-Lite specification as JSON">, or has the
  // specification inside it as <script type="application/json">, or as <span data-spec hidden> in what htmx puts into
  // the page (htmx lets no script pass). A mark with a field `open` opens that address in the
  // element that data-opens-in names.
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const config = () => ({
    background: "transparent",
    font: getComputedStyle(document.body).fontFamily,
    view: { stroke: null },
    axis: { labelColor: colour("--faint"), titleColor: colour("--faint"), tickColor: colour("--line"),
      domainColor: colour("--line"), gridColor: colour("--line"), labelFontSize: 12, titleFontSize: 12,
      titleFontWeight: 400, labelLimit: 260 },
    legend: { labelColor: colour("--ink"), titleColor: colour("--faint"), labelFontSize: 12, titleFontSize: 12,
      titleFontWeight: 400, labelLimit: 260 },
    title: { color: colour("--ink"), subtitleColor: colour("--faint"), anchor: "start", fontSize: 14 },
    header: { labelColor: colour("--ink"), titleColor: colour("--faint"), labelFontSize: 12 },
    text: { color: colour("--ink") }, rule: { color: colour("--faint") },
    range: { category: ["--series-0", "--series-1", "--series-2", "--series-3", "--series-4", "--series-5"].map(colour),
      diverging: ["--below-strong", "--paper", "--above-strong"].map(colour),
      heatmap: ["--paper", "--series-0"].map(colour) },
  });

  // Colours in a specification may be names of the page's own, such as "--ink".
  const coloured = (value) => {
    if (typeof value === "string") return /^--[a-z0-9-]+$/.test(value) ? colour(value) : value;
    if (Array.isArray(value)) return value.map(coloured);
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, key === "data" || key === "datasets" ? one : coloured(one)]));
    return value;
  };

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "tooltip");
  document.body.append(tip);
  const showTip = (_, event, item, value) => {
    if (value === null || value === undefined || value === "") { tip.hidden = true; return; }
    tip.textContent = typeof value === "object"
      ? Object.entries(value).map(([key, one]) => `${key}: ${one}`).join("\n") : String(value);
    tip.hidden = false;
    const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8)}px`;
  };

  // --- Terms of the glossary explain themselves.
  tip.id = "tip";
  const explain = (event) => {
    const term = event.target.closest?.(".term[data-means]");
    for (const other of document.querySelectorAll(".term[aria-describedby=tip]"))
      if (other !== term) { other.removeAttribute("aria-describedby"); tip.hidden = true; }
    if (!term) return;
    const { left, bottom } = term.getBoundingClientRect();
    showTip(null, { clientX: left - 14, clientY: bottom - 8 }, null, term.dataset.means);
    term.setAttribute("aria-describedby", "tip");
  };
  for (const kind of ["mouseover", "focusin", "click"]) document.addEventListener(kind, explain);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });

  // A chart that is wider than its place is scrolled with the keyboard too.
  const reachable = (place) => {
    if (place.scrollWidth > place.clientWidth) place.tabIndex = 0;
    else place.removeAttribute("tabindex");
  };
  window.addEventListener("resize", () => document.querySelectorAll(".vega[data-drawn]").forEach(reachable));

  const views = new WeakMap();
  const draw = async (place) => {
    const inside = place.querySelector(':scope > script[type="application/json"], :scope > [data-spec]');
    let specification = place.specification;
    if (!specification) {
      const answer = inside ? null : await fetch(place.dataset.chart, { headers: { Accept: "application/json" } });
      if (answer && !answer.ok) { place.textContent = "The chart could not be loaded."; return; }
      specification = place.specification = inside ? JSON.parse(inside.textContent) : await answer.json();
    }
    let canvas = place.querySelector(":scope > .canvas");
    if (!canvas) { canvas = document.createElement("div"); canvas.className = "canvas"; place.append(canvas); }
    views.get(place)?.finalize();
    const result = await window.vegaEmbed(canvas, coloured(structuredClone(specification)), {
      mode: "vega-lite", actions: false, ast: true, renderer: "canvas", defaultStyle: false, config: config(),
      tooltip: showTip, loader: { load: () => Promise.reject(new Error("charts load nothing")) },
    });
    views.set(place, result);
    place.dataset.drawn = "true";
    reachable(place);
    result.view.addEventListener("click", (_, item) => {
      const open = item?.datum?.open;
      if (typeof open === "string" && open.startsWith("/") && place.dataset.opensIn)
        window.htmx.ajax("GET", open, { target: place.dataset.opensIn, swap: "innerHTML" });
    });
  };

  let vega = null;
  const library = () => vega ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = "/static/vega.js";
    script.addEventListener("load", done);
    script.addEventListener("error", failed);
    document.head.append(script);
  });
  const drawAll = async (within) => {
    // What is folded away is drawn when it is opened.
    const places = [...within.querySelectorAll(".vega:not([data-drawn])")].filter((place) => !place.closest("details:not([open])"));
    if (within.matches?.(".vega:not([data-drawn])")) places.push(within);
    if (!places.length) return;
    await library();
    await Promise.all(places.map(draw));
  };
  const again = async () => { for (const place of document.querySelectorAll(".vega[data-drawn]")) await draw(place); };

  // --- Light and dark.
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* Not kept, then. */ }
    again();
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);

  // --- What htmx puts into the page.
  document.addEventListener("htmx:afterSettle", (event) => drawAll(event.detail.elt));
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.requestConfig.verb !== "get") document.getElementById("messages").replaceChildren();
  });
  document.addEventListener("htmx:responseError", (event) => say(event.detail.xhr.responseText.slice(0, 500)));
  // --- A page notices that its server is gone, and that it is back.
  const GONE = "The workbench does not answer. Start `tiltmeter serve` again; what you typed is still here.";
  let gone = false;
  const heard = (answers) => {
    if (gone === !answers) return;
    gone = !answers;
    if (gone) say(GONE); else document.getElementById("messages").replaceChildren();
  };
  document.addEventListener("htmx:sendError", () => heard(false));
  setInterval(() => {
    if (!document.hidden) fetch("/static/icon.svg", { method: "HEAD", cache: "no-store" }).then(() => heard(true), () => heard(false));
  }, 10000);
  const say = (text) => {
    const line = document.createElement("p");
    line.className = "problem";
    line.setAttribute("role", "alert");
    line.textContent = text;
    document.getElementById("messages").replaceChildren(line);
  };

  document.addEventListener("toggle", (event) => { if (event.target.open) drawAll(event.target); }, true);
  drawAll(document);
})();
