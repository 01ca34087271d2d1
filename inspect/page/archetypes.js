// The view of archetypes: the lanes in a chunk, and how full every chunk is.
import { h, num, bytes, bare, colour, tone, chip, card, empty, percent, plural, tile, hint, steered, scroll } from "./dom.js";
import { app } from "./app.js";

let data = null, of = null;
const step = 40;

export default {
  name: "Archetypes", about: "what memory holds, how full chunks are", pace: 1000,
  async poll() {
    const index = app.get("index");
    data = await app.api("archetypes", index ? { index } : { from: app.get("from", 0), limit: step });
    of = app.head?.id;
  },
  draw() {
    const d = data, from = +app.get("from", 0);
    if (!d || of !== app.head?.id) return empty("Counting …");
    return [
      h("div", { class: "tiles" }, tile("archetypes with rows", num(d.used), "of " + num(d.count)), tile("chunks", num(d.chunks), bytes(d.chunks * 16384)), tile("rows", num(d.rows), percent(d.room ? d.rows / d.room : 0) + " of the room"),
        tile("empty rows", num(d.room - d.rows), d.frames > 1 ? "counted over " + d.frames + " frames" : "")),
      h("p", { class: "legend" }, "each square is a chunk:", [["full", 1], ["half", 0.5], ["sparse", 0.1]].map(([t, x]) => h("span", null, h("i", { style: { background: fullness(x) } }), t)), h("span", null, h("i", { class: "fresh" }), "written in the last frame"), app.get("index") && h("a", { href: app.link("archetypes") }, "all archetypes")),
      d.archetypes.map(one),
      !d.archetypes.length && empty("No archetype has rows.", "Entities that the program spawns appear here. If there should be some, see Worlds for whether the world runs."),
      d.used > step && !app.get("index") && h("nav", { class: "pages", "aria-label": "Pages" }, h("button", { disabled: from === 0, onclick: () => app.go("archetypes", { from: Math.max(0, from - step) || "" }) }, "larger ones"), h("span", null, `${num(from + 1)} – ${num(from + d.archetypes.length)} of ${num(d.used)}`), h("button", { disabled: from + step >= d.used, onclick: () => app.go("archetypes", { from: from + step }) }, "smaller ones")),
    ];
  },
};

const fullness = (x) => `oklch(${0.62 + 0.14 * x} 0.13 ${30 + 130 * x})`;

function one(a) {
  const cap = a.capacity * a.per, full = a.chunks ? a.rows / (a.chunks * a.capacity) : 0, end = 16384;
  return h("section", { class: "card arch", key: a.index },
    h("h2", null, h("b", null, plural(a.rows, "row")), h("span", { class: "dim" }, `${plural(a.chunks, "chunk")} of ${a.capacity}`), h("span", { class: full < 0.5 ? "hot" : "" }, percent(full) + " full"), h("span", { class: "dim" }, a.rowBytes + " B a row"), h("span", { class: "dim" }, bytes(a.waste) + " empty"),
      h("span", { class: "right" }, h("a", { href: app.link("entities", { q: a.query }) }, "entities"))),
    h("div", { class: "chips" }, a.components.map((c, k) => chip(c, a.kinds[k].length ? "k" : "", () => app.go("entities", { q: c }), a.kinds[k].join(", ") || "entities with " + c)), !a.components.length && h("span", { class: "dim" }, "no components")),
    h("div", { class: "lanes", role: "img", "aria-label": "lanes in a chunk: " + a.lanes.map((l) => l.component + "." + l.name).join(", ") }, a.lanes.map((l) => {
      const w = (100 * l.size * a.capacity) / end;
      return h("span", { key: l.at, style: { left: (100 * l.at) / end + "%", width: w + "%", background: l.component === "Entity" ? "var(--group)" : tone(l.component) }, title: `${l.component}.${l.name} ${l.type}: ${l.size} B a row, from byte ${l.at} on` }, w > 4 ? (l.component === "Entity" ? "ids" : w > 11 ? bare(l.component) + "." + l.name : l.name) : "");
    })),
    a.chunks > 0 && h("canvas", { class: "cells", role: "img", "aria-label": `fill of ${a.fill.length} chunks`, style: { height: cellsTall(a) + "px" }, draw: cells(a, cap), ...steered((e) => overCell(e, a, cap)) }),
    a.per > 1 && h("p", { class: "dim" }, `a square is ${a.per} chunks`),
    a.shared.length > 0 && h("details", null, h("summary", null, plural(a.shared.length, "group") + " by shared values" + (a.complete ? "" : ", the first ones")), scroll(h("table", null, h("tbody", null, a.shared.map((s) => h("tr", { key: s.group }, h("td", { class: "n" }, plural(s.rows, "row")), h("td", { class: "n dim" }, plural(s.chunks, "chunk")), h("td", null, s.values.map((v) => h("code", null, v))))))))),
  );
}

const wide = () => Math.max(120, (document.getElementById("view").clientWidth || 900) - 60);
function grid(a, w) {
  const n = a.fill.length, size = n > 3000 ? 5 : n > 600 ? 7 : n > 60 ? 11 : 16;
  return { size, per: Math.max(1, Math.floor(w / size)) };
}
const cellsTall = (a) => {
  const g = grid(a, wide());
  return Math.ceil(a.fill.length / g.per) * g.size + 2;
};
const cells = (a, cap) => (g, w) => {
  const { size } = grid(a, w), per = Math.max(1, Math.floor(w / size));
  a.fill.forEach((n, k) => {
    const x = (k % per) * size, y = Math.floor(k / per) * size, f = n / cap;
    g.fillStyle = colour("groove");
    g.fillRect(x, y, size - 1, size - 1);
    g.fillStyle = fullness(Math.min(f, 1));
    const t = Math.max(1, Math.round((size - 1) * Math.min(f, 1)));
    g.fillRect(x, y + size - 1 - t, size - 1, t);
    if (a.fresh[k] <= 1 && size > 5) {
      g.fillStyle = colour("ink");
      g.fillRect(x + 1, y + 1, 2, 2);
    }
  });
};
function overCell(e, a, cap) {
  const { size } = grid(a, e.currentTarget.clientWidth), per = Math.max(1, Math.floor(e.currentTarget.clientWidth / size));
  const k = Math.floor(e.offsetY / size) * per + Math.floor(e.offsetX / size), n = a.fill[k];
  if (n == null || e.offsetX >= per * size) return hint();
  const s = a.shared.find((x) => x.group === a.groups[k]);
  hint(e, a.per > 1 ? `chunks ${k * a.per} to ${(k + 1) * a.per - 1}` : "chunk " + k, `${num(n)} of ${num(cap)} rows`, `written ${a.fresh[k]} ${a.fresh[k] === 1 ? "version" : "versions"} ago`, ...(s ? s.values : []));
}
