// The view of pictures: it shows any numbers of the entities that match a query, as a heat map, points or bars.
import { h, num, brief, colour, card, empty, hint, ticks } from "./dom.js";
import { query, wrong } from "./entities.js";
import { app } from "./app.js";

let data = null, near = null;
const kinds = [["heat", "heat map"], ["scatter", "points"], ["histogram", "histogram"]];
function wish() {
  const kind = app.get("kind", "heat"), all = app.types.flatMap((t) => t.lanes);
  const first = (end) => all.find((l) => l.endsWith(".Translation" + end) || l === "Translation" + end) || all.find((l) => l.endsWith(end)) || all[0] || "";
  const x = app.get("x") || first(".X"), y = kind === "histogram" ? "" : app.get("y") || first(".Y"), c = kind === "histogram" ? "" : app.get("c");
  return { kind, q: app.get("q"), x, y, c };
}

export default {
  name: "Picture", about: "where are they, how are they spread", pace: 400,
  async poll() {
    const w = wish();
    if (w.x) data = await app.api("picture", Object.fromEntries(Object.entries(w).filter(([, v]) => v)));
  },
  draw() {
    const w = wish(), d = data, turn = (more) => app.go("picture", { ...w, ...more }, true);
    const lane = (name, label) => h("label", null, h("span", null, label), h("input", { value: w[name], list: "numbers", placeholder: name === "c" ? "how many" : "", onchange: (e) => turn({ [name]: e.target.value.trim() }) }));
    return [
      query(w.q, (q) => turn({ q })),
      h("div", { class: "choices" }, h("span", { class: "segments", role: "group", "aria-label": "Kind" }, kinds.map(([k, t]) => h("button", { "aria-pressed": String(w.kind === k), onclick: () => turn({ kind: k }) }, t))),
        lane("x", "x"), w.kind !== "histogram" && [lane("y", "y"), lane("c", "colour")], h("datalist", { id: "numbers" }, app.types.flatMap((t) => t.lanes).map((l) => h("option", { value: l })))),
      wrong(),
      d && !app.wrong && card([h("b", null, num(d.count)), " entities", d.seen < d.count && h("span", { class: "dim" }, `, ${num(d.seen)} of them looked at`), d.odd > 0 && h("span", { class: "bad" }, `, ${num(d.odd)} with NaN or Inf`)], d.frames > 1 && `over ${d.frames} frames`,
        d.count ? h("canvas", { class: "plot " + d.kind, role: "img", "aria-label": d.kind + " of " + [d.x, d.y, d.c].filter(Boolean).map((a) => `${a.lane} from ${brief(a.low)} to ${brief(a.high)}, mean ${brief(a.mean)}`).join("; "), draw: plot(d), onmousemove: over, onmouseleave: () => hint(), onclick: () => near && app.go("entities", { id: near }) }) : empty("No entity has these numbers.")),
      d && !app.wrong && h("div", { class: "scroll" }, h("table", null, h("thead", null, h("tr", null, ["number", "least", "mean", "greatest", "shown"].map((t) => h("th", { class: t === "number" ? "" : "n" }, t)))), h("tbody", null, [d.x, d.y, d.c].filter(Boolean).map((a) => h("tr", null, h("td", null, a.lane), [a.low, a.mean, a.high].map((x) => h("td", { class: "n" }, brief(x))), h("td", { class: "n dim" }, brief(a.min) + " … " + brief(a.max))))))),
    ];
  },
};

const edge = { l: 52, b: 22, t: 6, r: 8 };
// heat returns the colour for a number from 0 to 1: blue over green to yellow, of rising lightness.
const heat = (t) => `oklch(${0.35 + 0.5 * t} ${0.11 + 0.05 * Math.sin(t * 3.14)} ${275 - 185 * t})`;
const steps = Array.from({ length: 64 }, (_, k) => heat(k / 63));
const shade = (t) => steps[Math.max(0, Math.min(63, Math.round(t * 63)))];
const plot = (d) => (g, w, height) => {
  const W = w - edge.l - edge.r, H = height - edge.b - edge.t, most = Math.max(1, ...d.cells || [1]);
  const y = d.y || { min: 0, max: most };
  const px = (v) => edge.l + ((v - d.x.min) / (d.x.max - d.x.min)) * W, py = (v) => edge.t + H - ((v - y.min) / (y.max - y.min)) * H;
  g.fillStyle = colour("groove");
  g.fillRect(edge.l, edge.t, W, H);
  if (d.kind === "histogram") {
    g.fillStyle = colour("accent");
    d.cells.forEach((n, k) => g.fillRect(edge.l + (k * W) / d.w, py(n), W / d.w - 1, edge.t + H - py(n)));
  } else if (d.kind === "heat") {
    const cw = W / d.w, ch = H / d.h;
    d.cells.forEach((n, k) => {
      if (!n) return;
      g.fillStyle = shade(d.c ? (d.means[k] - d.c.min) / (d.c.max - d.c.min) : Math.log1p(n) / Math.log1p(most));
      g.fillRect(edge.l + (k % d.w) * cw, edge.t + Math.floor(k / d.w) * ch, cw + 0.3, ch + 0.3);
    });
  } else {
    g.save();
    g.beginPath();
    g.rect(edge.l, edge.t, W, H);
    g.clip();
    for (const p of d.points) {
      g.fillStyle = d.c ? shade((p[2] - d.c.min) / (d.c.max - d.c.min)) : colour("accent");
      g.fillRect(px(p[0]) - 1.2, py(p[1]) - 1.2, 2.4, 2.4);
    }
    g.restore();
  }
  g.fillStyle = colour("dim");
  g.textAlign = "center";
  for (const t of ticks(d.x.min, d.x.max, W / 90)) g.fillText(brief(t), px(t), height - 10);
  g.textAlign = "right";
  for (const t of ticks(y.min, y.max, H / 50)) g.fillText(brief(t), edge.l - 6, py(t));
};
function over(e) {
  const c = e.currentTarget, d = data, W = c.clientWidth - edge.l - edge.r, H = c.clientHeight - edge.b - edge.t;
  const fx = (e.offsetX - edge.l) / W, fy = 1 - (e.offsetY - edge.t) / H, at = (a, f) => a.min + f * (a.max - a.min);
  near = null;
  if (fx < 0 || fx >= 1 || fy < 0 || fy >= 1) return hint();
  if (d.kind === "histogram") return hint(e, num(d.cells[Math.floor(fx * d.w)]) + " entities", d.x.lane + " about " + brief(at(d.x, fx)));
  const where = `${d.x.lane} ${brief(at(d.x, fx))}, ${d.y.lane} ${brief(at(d.y, fy))}`;
  if (d.kind === "heat") {
    const k = Math.floor((1 - fy) * d.h) * d.w + Math.floor(fx * d.w);
    return hint(e, num(d.cells[k]) + " entities", where, ...(d.c && d.cells[k] ? [`mean ${d.c.lane} ${brief(d.means[k])}`] : []));
  }
  let best = 64;
  d.points.forEach((p, k) => {
    const dx = ((p[0] - d.x.min) / (d.x.max - d.x.min) - fx) * W, dy = ((p[1] - d.y.min) / (d.y.max - d.y.min) - fy) * H;
    if (dx * dx + dy * dy < best) (best = dx * dx + dy * dy), (near = d.ids[k]);
  });
  near ? hint(e, "entity " + near, "click to open it") : hint(e, where);
}
