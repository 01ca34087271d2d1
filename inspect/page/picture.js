// The view of pictures: it shows any numbers of the entities that match a query, as a heat map, points or bars.
import { h, num, brief, bare, colour, card, empty, hint, steered, ticks, scroll } from "./dom.js";
import { query, wrong } from "./entities.js";
import { app, halt } from "./app.js";

let data = null, near = null, populated = null; // populated is the number of entities with each component, when the view was opened
const kinds = [["heat", "heat map"], ["scatter", "points"], ["histogram", "histogram"]];

// first returns the numbers that the view opens with: of the component that most entities have. A component with an X and a Y comes before
// others with as many entities, and among these one whose name is of a place.
function first() {
  const place = /(^|\.)\w*(translation|position|place|coord|transform)\w*$/i, end = (t, e) => t.lanes.find((l) => l.endsWith(e));
  const score = (t) => [t.lanes.length > 1 ? 1 : 0, populated?.get(t.name) || 0, end(t, ".X") && end(t, ".Y") ? 1 : 0, place.test(t.name) ? 1 : 0];
  const more = (a, b) => score(b).map((x, k) => x - score(a)[k]).find((x) => x) || 0;
  const t = app.types.filter((t) => t.lanes.length).sort(more)[0];
  return t ? { x: end(t, ".X") || t.lanes[0], y: end(t, ".Y") || t.lanes[1] || t.lanes[0], lanes: t.lanes.length } : { x: "", y: "", lanes: 0 };
}
function wish() {
  const open = first(), kind = app.get("kind", open.lanes === 1 && !app.get("y") ? "histogram" : "heat"), flat = kind === "histogram", x = app.get("x") || open.x;
  const deep = x.replace(/\.X$/, ".Z"), known = app.types.some((t) => t.lanes.includes(deep) && deep !== x);
  const z = kind !== "scatter" ? "" : app.get("z") || (known ? deep : "");
  return { kind, q: app.get("q"), x, y: flat ? "" : app.get("y") || open.y, c: flat ? "" : app.get("c"), z: z === "-" ? "" : z };
}

export default {
  name: "Picture", about: "where are they, how are they spread", pace: 400,
  leave: () => (populated = null),
  async poll() {
    if (!populated && !app.get("x")) {
      const sums = new Map();
      for (const a of (await app.api("archetypes", { limit: 100 })).archetypes) for (const c of a.components) sums.set(c, (sums.get(c) || 0) + a.rows);
      populated = sums;
    }
    const w = wish();
    if (w.x) data = await app.api("picture", Object.fromEntries(Object.entries(w).filter(([, v]) => v)));
  },
  draw() {
    const w = wish(), d = data, turn = (more) => app.go("picture", { ...w, z: app.get("z"), ...more }, true);
    const lane = (name, label, none = "", unset = "") => h("label", null, h("span", null, label), h("input", { value: w[name], list: "numbers", placeholder: none, onchange: (e) => turn({ [name]: e.target.value.trim() || unset }) }));
    return [
      query(w.q, (q) => turn({ q })),
      h("div", { class: "choices" }, h("span", { class: "segments", role: "group", "aria-label": "Kind" }, kinds.map(([k, t]) => h("button", { "aria-pressed": String(w.kind === k), onclick: () => turn({ kind: k }) }, t))),
        lane("x", "x"), w.kind !== "histogram" && [lane("y", "y"), lane("c", "colour", w.kind === "heat" ? "how many" : "all the same")], w.kind === "scatter" && lane("z", "distance", "all the same", "-"),
        h("datalist", { id: "numbers" }, app.types.flatMap((t) => t.lanes).map((l) => h("option", { value: l })))),
      wrong(),
      d && !app.wrong && card([h("b", null, num(d.count)), d.count === 1 ? " entity" : " entities", d.seen < d.count && h("span", { class: "dim" }, `, ${num(d.seen)} of them looked at`), d.odd > 0 && [h("span", { class: "bad" }, `, ${num(d.odd)} with NaN or Inf: `), axes(d).filter((a) => a.odd).map((a) => [h("a", { title: "pauses the world", onclick: halt, href: app.link("entities", { q: w.q, when: `${a.lane} == ${a.odd}` }) }, `${bare(a.lane)} == ${a.odd}`), " "])]], d.frames > 1 && `over ${d.frames} frames`,
        d.count ? [h("canvas", { class: "plot " + d.kind, role: "img", "aria-label": d.kind + " of " + axes(d).map((a) => `${a.lane} from ${brief(a.low)} to ${brief(a.high)}, mean ${brief(a.mean)}`).join("; "), draw: plot(d), ...steered(over, { Enter: open }), onclick: open }), legend(d)]
          : empty("No entity has these numbers.", "Choose other numbers for x and y, or remove a word of the query.")),
      d && !app.wrong && d.count > 0 && card("Numbers", null, scroll(h("table", null, h("thead", null, h("tr", null, ["number", "least", "mean", "greatest", "shown"].map((t) => h("th", { class: t === "number" ? "" : "n" }, t)))), h("tbody", null, axes(d).map((a) => h("tr", null, h("td", null, a.lane), [a.low, a.mean, a.high].map((x) => h("td", { class: "n" }, brief(x))), h("td", { class: "n dim" }, brief(a.min) + " … " + brief(a.max)))))))),
    ];
  },
};

const axes = (d) => [d.x, d.y, d.c, d.z].filter(Boolean);
const open = () => near && app.go("entities", { id: near });

// legend says what the axes, the colours and the sizes mean.
function legend(d) {
  const name = (a) => bare(a.lane), range = (a) => brief(a.min) + " … " + brief(a.max), most = Math.max(1, ...d.cells || [1]);
  const colours = d.kind === "histogram" ? null : d.c ? name(d.c) + ": " + range(d.c) : d.kind === "heat" ? "entities in a square: 1 … " + num(most) : null;
  return h("p", { class: "legend scale" },
    h("span", null, "→ " + name(d.x)), h("span", null, "↑ " + (d.y ? name(d.y) : "entities")), box(d, 1000, 600).same && h("span", null, "both axes have the same scale"),
    colours && h("span", null, h("i", { class: "ramp", style: { background: `linear-gradient(to right, ${steps.join(",")})` } }), colours),
    d.z && h("span", null, h("i", { class: "dot large" }), `near, ${name(d.z)} ${brief(d.z.min)} … `, h("i", { class: "dot" }), `far, ${brief(d.z.max)}`));
}

const edge = { l: 52, b: 22, t: 6, r: 8 };
// box returns the rectangle of a canvas in which the numbers are. If x and y are numbers of one component, for example a place, they have the
// same scale, unless the picture would be very narrow.
function box(d, w, height) {
  let W = w - edge.l - edge.r, H = height - edge.b - edge.t;
  const owner = (a) => a.lane.slice(0, a.lane.lastIndexOf(".")), ratio = d.y ? (d.x.max - d.x.min) / (d.y.max - d.y.min) : 0;
  const same = d.y != null && owner(d.x) === owner(d.y) && ratio > 0.4 && ratio < 4;
  if (same) [W, H] = W / H > ratio ? [H * ratio, H] : [W, W / ratio];
  return { W, H, same };
}
// heat returns the colour for a number from 0 to 1: blue over green to yellow, of rising lightness.
const heat = (t) => `oklch(${0.35 + 0.5 * t} ${0.11 + 0.05 * Math.sin(t * 3.14)} ${275 - 185 * t})`;
const steps = Array.from({ length: 64 }, (_, k) => heat(k / 63));
const shade = (t) => steps[Math.max(0, Math.min(63, Math.round(t * 63)))];
const plot = (d) => (g, w, height) => {
  const { W, H } = box(d, w, height), most = Math.max(1, ...d.cells || [1]);
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
  } else points(d, g, px, py, W, H);
  g.fillStyle = colour("dim");
  g.textAlign = "center";
  for (const t of ticks(d.x.min, d.x.max, W / 90)) g.fillText(brief(t), px(t), edge.t + H + 12);
  g.textAlign = "right";
  for (const t of ticks(y.min, y.max, H / 50)) g.fillText(brief(t), edge.l - 6, py(t));
};
// points draws the points of a scatter plot. If it has a distance, near points are larger, and in front of far ones.
function points(d, g, px, py, W, H) {
  g.save();
  g.beginPath();
  g.rect(edge.l, edge.t, W, H);
  g.clip();
  for (const p of d.z ? [...d.points].sort((a, b) => b[3] - a[3]) : d.points) {
    const far = d.z ? Math.min(Math.max((p[3] - d.z.min) / (d.z.max - d.z.min), 0), 1) : 0.6, size = 2 / (0.4 + far);
    g.fillStyle = d.c ? shade((p[2] - d.c.min) / (d.c.max - d.c.min)) : colour("accent");
    g.fillRect(px(p[0]) - size / 2, py(p[1]) - size / 2, size, size);
  }
  g.restore();
}
function over(e) {
  const c = e.currentTarget, d = data, { W, H } = box(d, c.clientWidth, c.clientHeight);
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
  near ? hint(e, "entity " + near, "click or press Enter to open it") : hint(e, where);
}
