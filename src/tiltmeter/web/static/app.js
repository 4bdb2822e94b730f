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

  // --- Terms of the glossary: the first use of each on a page has dots below it and explains itself.
  tip.id = "tip";
  const PROSE = "p, li, dd, caption, figcaption";
  const NOT_HERE = "a, button, label, legend, summary, code, pre, q, bdi, blockquote, h1, h2, h3, h4, [role=img], .text, .logo";
  const termPattern = (name) => new RegExp(`(?<![\\w-])${name.replace(/y$/, "(?:y|ies)").replace(/([a-z])$/, "$1s?")}(?![\\w-])`, name === "SD" ? "" : "i");
  const markTerms = () => {
    const main = document.getElementById("content");
    if (main.querySelector(".glossary")) return;
    const wanted = [...document.querySelectorAll("#terms dt")].map((one) => one.textContent)
      .filter((name) => !main.querySelector(`.term[data-term="${name}"]`))
      // A log-probability is no probability.
      .sort((one, other) => other.length - one.length);
    for (const name of wanted) {
      const pattern = termPattern(name);
      const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const found = pattern.exec(walker.currentNode.data);
        const around = walker.currentNode.parentElement;
        if (!found || !around.closest(PROSE) || around.closest(NOT_HERE)) continue;
        const word = walker.currentNode.splitText(found.index);
        word.splitText(found[0].length);
        const button = document.createElement("button");
        button.type = "button";
        button.className = "term";
        button.dataset.term = name;
        button.setAttribute("aria-describedby", `means-${name.replaceAll(" ", "-")}`);
        word.replaceWith(button);
        button.append(word);
        break;
      }
    }
  };
  const hideTip = () => { tip.hidden = true; tip.classList.remove("meaning"); };
  const explain = (event) => {
    if (tip.classList.contains("meaning") && tip.contains(event.target)) return;
    const term = event.target.closest?.(".term");
    if (!term) { if (tip.classList.contains("meaning")) hideTip(); return; }
    const { left, bottom } = term.getBoundingClientRect();
    const meaning = document.getElementById(term.getAttribute("aria-describedby")).textContent;
    showTip(null, { clientX: left - 14, clientY: bottom - 12 }, null, meaning);
    tip.classList.add("meaning");
  };
  for (const kind of ["mouseover", "focusin", "click"]) document.addEventListener(kind, explain);
  document.addEventListener("focusout", () => { if (tip.classList.contains("meaning")) hideTip(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });

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
  document.addEventListener("htmx:afterSettle", (event) => { drawAll(event.detail.elt); markTerms(); });
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
  markTerms();
})();
