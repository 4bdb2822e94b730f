// What can be said of a page without a person looking at it. Gives a list of sentences, empty where all is well.
() => {
  const found = [];
  const cut = (text) => text.replace(/\s+/g, " ").trim().slice(0, 60);
  const named = (element) => `<${element.tagName.toLowerCase()}${element.id ? ` #${element.id}` : ""} ${element.getAttribute("class") ?? ""}> "${cut(element.textContent)}"`;
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".visually-hidden, .skip");
  const all = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());

  // --- Every control has a name, and what is referred to is there.
  const textOf = (ids) => ids.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const nameOf = (control) => [
    control.getAttribute("aria-label"), control.hasAttribute("aria-labelledby") && textOf(control.getAttribute("aria-labelledby")),
    ...[...(control.labels ?? [])].map((label) => label.textContent),
    control.matches("a, button, summary, [role]:not([role=img], [role=region], [role=group])") && control.textContent,
  ].find((name) => name && name.trim());
  for (const control of all("a[href], button, input:not([type=hidden]), select, textarea, summary, [role=tab], [role=region], [role=img], [role=group], nav, aside, dialog"))
    if (!nameOf(control) && !control.matches("a[aria-hidden]")) found.push(`no name: ${named(control)}`);
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for", "list"])
    for (const element of document.querySelectorAll(`[${name}]`))
      for (const id of element.getAttribute(name).split(/\s+/)) if (!document.getElementById(id)) found.push(`${name} of nothing: ${id}`);
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((one, at) => ids.indexOf(one) !== at))) found.push(`twice the same id: ${id}`);

  // --- Every picture has words.
  for (const picture of all("img, svg, canvas, .vega"))
    if (!picture.closest("[aria-hidden=true]") && !picture.getAttribute("alt") && !picture.closest("[role=img][aria-label]:not([aria-label=''])"))
      found.push(`a picture without words: ${named(picture)}`);

  // --- Headings go down one step at a time, and there is one at the top.
  let level = 0;
  const headings = all("h1, h2, h3, h4, h5, h6");
  for (const heading of headings) {
    const now = Number(heading.tagName[1]);
    if (now > level + 1) found.push(`a heading skips a level: ${named(heading)}`);
    if (!heading.textContent.trim()) found.push(`an empty heading: ${named(heading)}`);
    level = now;
  }
  if (headings.filter((heading) => heading.tagName === "H1").length !== 1) found.push("not one h1");
  if (!document.title.trim() || document.documentElement.lang !== "en") found.push("no title or no language");

  // --- Text stands out from what is behind it.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const parsed = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(colour, [red, green, blue, alpha / 255]);
    }
    return known.get(colour);
  };
  const over = ([red, green, blue, alpha], under) => [red, green, blue].map((part, at) => part * alpha + under[at] * (1 - alpha));
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const colour = parsed(getComputedStyle(at).backgroundColor);
      layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((under, colour) => over(colour, under), [255, 255, 255]);
  };
  const light = (colour) => colour.map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (one, two) => {
    const [low, high] = [light(one), light(two)].sort((first, second) => first - second);
    return (high + 0.05) / (low + 0.05);
  };
  const faint = (element, style, words) => {
    let [red, green, blue, alpha] = parsed(style.color);
    for (let at = element; at; at = at.parentElement) alpha *= Number(getComputedStyle(at).opacity);
    const ground = behind(element);
    const ratio = contrast(over([red, green, blue, alpha], ground), ground);
    if (ratio < 4.5) found.push(`contrast ${ratio.toFixed(2)}: ${named(element)} ${words}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (seen.has(element) || !walker.currentNode.textContent.trim() || element.matches("script, option, :disabled, :disabled *") || !isShown(element)) continue;
    seen.add(element);
    faint(element, getComputedStyle(element), "");
  }
  for (const field of all("[placeholder]:placeholder-shown")) faint(field, getComputedStyle(field, "::placeholder"), "(its placeholder)");

  // --- Nothing is cut off or lies outside the page.
  const edge = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > edge + 1) {
    const wide = all("body *").filter((element) => element.getBoundingClientRect().right > edge + 1 && !element.closest(".scroll, pre, .vega, .skip, textarea"));
    found.push(`wider than the window: ${wide.slice(0, 3).map(named).join("; ")}`);
  }
  return [...new Set(found)];
}
