// A small framework for the page. Views describe elements, and lay changes the existing elements to
// match, so that focus, selection and scroll positions stay. The module also formats numbers.

// h describes an element. It omits kids that are null or false.
export const h = (tag, props, ...kids) => ({ tag, props: props || {}, kids: kids.flat(9).filter((k) => k != null && k !== false && k !== true) });

const svgTags = new Set(["svg", "path", "g", "circle", "text", "rect", "line", "title"]);
let pictures = [];

// lay changes the children of an element to match the descriptions, and draws the canvases among them.
export function lay(el, ...kids) {
  patch(el, h("", null, kids).kids);
  const list = pictures;
  pictures = [];
  for (const [c, draw] of list) paint(c, draw);
}

// patch keeps an element as long as its key or its place stays. It removes an element whose key is not there any more, instead of turning it into the
// next one: so the browser knows which of its elements stay in view, and does not scroll.
function patch(el, kids) {
  const keys = new Set(kids.map((k) => k.props?.key));
  let at = 0;
  for (const k of kids) {
    let old = el.childNodes[at++];
    while (old?.key != null && !keys.has(old.key)) {
      const next = old.nextSibling;
      old.remove();
      old = next;
    }
    if (typeof k !== "object") {
      if (old?.nodeType === 3) {
        if (old.data !== String(k)) old.data = k;
      } else put(el, old, document.createTextNode(k));
      continue;
    }
    let n = old;
    if (old?.nodeType !== 1 || old.localName !== k.tag || old.key !== k.props.key) {
      n = svgTags.has(k.tag) && (k.tag !== "title") ? document.createElementNS("http://www.w3.org/2000/svg", k.tag) : document.createElement(k.tag);
      if (k.tag === "title" && el.namespaceURI.endsWith("svg")) n = document.createElementNS(el.namespaceURI, "title");
      n.key = k.props.key;
      n.was = {};
      put(el, old, n);
    }
    dress(n, k.props);
    if (k.tag !== "datalist") patch(n, k.kids); // its input fills it
    if (k.props.then) k.props.then(n);
  }
  while (el.childNodes.length > at) el.lastChild.remove();
}

const put = (el, old, n) => (old && old.key == null ? old.replaceWith(n) : el.insertBefore(n, old ?? null)); // an old one with a key may come later

// dress sets the properties of an element. An input with draft keeps the text that a person has typed until its value changes. So
// a draw between the press on a button beside it and the click does not lose the text.
function dress(n, props) {
  for (const name in n.was) if (!(name in props)) undress(n, name);
  for (const name in props) {
    const v = props[name];
    if (name === "draw") pictures.push([n, v]);
    else if (name === "key" || name === "then" || name === "draft") continue;
    else if (name === "value") {
      if (n !== document.activeElement && n.value !== String(v) && !(props.draft && n.was.value === v)) n.value = v;
    } else if (name === "style") for (const s in v) n.style.setProperty(s, v[s]);
    else if (name.startsWith("on")) n[name] = v;
    else if (name === "checked" || name === "indeterminate" || name === "selected") n[name] = v;
    else if (n.was[name] !== v) {
      if (v === false || v == null) n.removeAttribute(name);
      else n.setAttribute(name, v === true ? "" : v);
    }
  }
  n.was = props;
}

function undress(n, name) {
  if (name.startsWith("on")) n[name] = null;
  else if (name === "style") n.removeAttribute("style");
  else n.removeAttribute(name);
}

function paint(c, draw) {
  const r = devicePixelRatio || 1, w = c.clientWidth, height = c.clientHeight;
  if (!w || !height) return;
  if (c.width !== Math.round(w * r) || c.height !== Math.round(height * r)) {
    c.width = Math.round(w * r);
    c.height = Math.round(height * r);
  }
  const g = c.getContext("2d");
  g.setTransform(r, 0, 0, r, 0, 0);
  g.clearRect(0, 0, w, height);
  g.font = "11px system-ui, sans-serif";
  g.textBaseline = "middle";
  draw(g, w, height, c);
}

// Colours.
let ink = {};
export const fade = () => (ink = {});
export const colour = (name) => (ink[name] ??= getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim());
export const dark = () => document.documentElement.dataset.theme === "dark";
const hues = [255, 150, 65, 330, 205, 110, 25, 290, 180, 85, 355, 230];
const given = new Map();
export function hue(name) {
  const own = bare(name);
  if (!given.has(own)) given.set(own, hues[given.size % hues.length] + 7 * Math.floor(given.size / hues.length));
  return given.get(own);
}
export const tone = (name, l = dark() ? 0.72 : 0.74, c = 0.11) => `oklch(${l} ${c} ${hue(name)})`;

// Formats.
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const num = (n) => grouped.format(n).replaceAll(",", "\u2009");
const three = (x) => (x < 10 ? x.toFixed(2) : x < 100 ? x.toFixed(1) : x.toFixed(0));
export function time(us) {
  if (!us) return "–";
  if (us < 1) return us.toFixed(2) + " µs";
  if (us < 999.5) return three(us) + " µs";
  if (us < 999500) return three(us / 1e3) + " ms";
  return three(us / 1e6) + " s";
}
export function bytes(b) {
  let k = 0;
  while (b >= 1024 && k < 4) {
    b /= 1024;
    k++;
  }
  return (k ? three(b) : b) + " " + ["B", "KiB", "MiB", "GiB", "TiB"][k];
}
export const percent = (x) => (x > 0 && x < 0.0995 ? (100 * x).toFixed(1) : (100 * x).toFixed(0)) + " %";
export function brief(x) {
  if (typeof x !== "number") return String(x);
  const a = Math.abs(x);
  if (x === 0 || (Number.isInteger(x) && a < 1e6)) return String(x);
  return a >= 1e6 || a < 1e-3 ? x.toExponential(2) : String(+x.toPrecision(5));
}
// bare returns a name without its package.
export const bare = (name) => name.replace(/^(?:[\w.-]+\/)*[a-z]\w*\./, "").replace(/\[[a-z]\w*\./, "[");
export const plural = (n, one, many = one + "s") => num(n) + " " + (n === 1 ? one : many);

// named returns the name of an entity with its id, or the id alone.
export const named = (id, name) => (name ? `${name} (${id})` : id);
// side says which of two systems writes a component.
export const side = (system, writes, other, otherWrites) => (writes && otherWrites ? "both write it" : bare(writes ? system : other) + " writes it");
// median returns the median of a list, or 0 if it is empty. It keeps the last result, because a draw asks for it several times.
let lastMedian = [null, 0];
export function median(list) {
  if (lastMedian[0] !== list) lastMedian = [list, list.toSorted((a, b) => a - b)[list.length >> 1] || 0];
  return lastMedian[1];
}

// soft returns a name with the places at which a line may break: before a capital, and after a dot or a bracket.
export const soft = (name) => name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[.:/[])/).flatMap((part, k) => (k ? [h("wbr"), part] : [part]));
// swatch returns a square with the colour of a struct with the fields R, G, B and perhaps A, or null. Each of the fields has the number of the full colour.
export function swatch(v) {
  const full = v.find((f) => f.full)?.full, of = (name) => v.find((f) => f.name === name)?.value, [r, g, b, a = null] = ["R", "G", "B", "A"].map(of);
  if (!full || ![r, g, b, a ?? 0].every((x) => typeof x === "number")) return null;
  const css = `rgb(${[r, g, b].map((x) => (x / full) * 255).join(" ")} / ${a == null ? 1 : a / full})`;
  return h("i", { class: "swatch", role: "img", "aria-label": "colour " + css, style: { "--swatch": css } });
}

// Pieces that views share.
const tip = document.getElementById("tip");
export function hint(e, ...lines) {
  tip.hidden = !lines.length;
  if (tip.hidden) return;
  lay(tip, lines.map((l, k) => h(k ? "div" : "b", null, l)));
  const b = tip.getBoundingClientRect();
  tip.setAttribute("aria-live", e.isTrusted ? "off" : "polite"); // a screen reader reads it if a key has moved the pointer
  tip.style.left = Math.max(4, Math.min(e.clientX + 12, innerWidth - b.width - 8)) + "px";
  tip.style.top = (e.clientY + b.height + 22 > innerHeight ? e.clientY - b.height - 8 : e.clientY + 16) + "px";
}
// steered returns the handlers of a canvas over which the mouse or the arrow keys move a pointer. over shows the values at the pointer. keys maps other keys to
// functions, which get the canvas and the x coordinate of the pointer.
export function steered(over, keys = {}) {
  const onkeydown = (e) => {
    const c = e.currentTarget, b = c.getBoundingClientRect(), step = e.shiftKey ? 40 : 6;
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey || !(by || keys[e.key])) return;
    c.at ??= [b.width / 2, b.height / 2];
    if (by) c.at = [Math.min(Math.max(c.at[0] + by[0], 0), b.width - 1), Math.min(Math.max(c.at[1] + by[1], 0), b.height - 1)];
    else keys[e.key](c, c.at[0]);
    c.dispatchEvent(new MouseEvent("mousemove", { clientX: b.left + c.at[0], clientY: b.top + c.at[1] }));
    e.preventDefault();
    e.stopPropagation();
  };
  return { tabindex: 0, onmousemove: over, onmouseleave: () => hint(), onblur: () => hint(), onkeydown };
}
// scroll returns a box that scrolls if its content is too wide. It then can have the focus, so that the arrow keys scroll it.
export const reach = (n) => (n.scrollWidth > n.clientWidth + 1 ? n.setAttribute("tabindex", "0") : n.removeAttribute("tabindex"));
export const scroll = (...kids) => h("div", { class: "scroll", role: "group", "aria-label": "table", then: reach }, kids);
export const spark = (list, label) =>
  h("canvas", {
    class: "spark", role: "img", "aria-label": label,
    draw(g, w, height) {
      if (list.length < 2) return;
      const top = Math.max(...list) || 1;
      g.beginPath();
      list.forEach((y, k) => g.lineTo((k * (w - 2)) / (list.length - 1) + 1, height - 2 - (y / top) * (height - 4)));
      g.strokeStyle = colour("accent");
      g.lineWidth = 1.25;
      g.stroke();
    },
  });
export const chip = (name, kind, onclick, title) =>
  onclick ? h("button", { class: "chip " + (kind || ""), onclick, title: title || "entities with " + name }, soft(name)) : h("span", { class: "chip " + (kind || ""), title }, soft(name));
export const card = (title, right, ...body) => h("section", { class: "card", key: typeof title === "string" ? title : null }, title && h("h2", null, h("span", null, title), right && h("span", { class: "right" }, right)), body);
// empty says that there is nothing to show, and what to do next.
export const empty = (text, next) => h("p", { class: "empty" }, text, " ", next);
export const tile = (name, value, more) => h("div", { class: "tile" }, h("span", null, name), h("b", null, value), more && h("small", null, more));

// ticks returns about n round numbers between two numbers.
export function ticks(a, b, n) {
  const raw = (b - a) / Math.max(n, 1), p = 10 ** Math.floor(Math.log10(raw)), f = raw / p;
  const step = p * (f > 5 ? 10 : f > 2 ? 5 : f > 1 ? 2 : 1), list = [];
  if (!(step > 0) || !isFinite(step)) return list;
  for (let x = Math.ceil(a / step) * step; x <= b + step * 1e-9 && list.length < 50; x += step) list.push(Math.abs(x) < step * 1e-9 ? 0 : x);
  return list;
}
