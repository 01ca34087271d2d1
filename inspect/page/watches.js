// The view of watches: numbers over time, of which the program keeps a sample for each frame.
import { h, num, brief, named, colour, card, empty, hint, steered, ticks } from "./dom.js";
import { wrong } from "./entities.js";
import { app, frameName, systems } from "./app.js";
import { button, toFirst, wrote } from "./catch.js";

let kept = new Map(), last = 0, world = "", caught = null; // caught: the NaN at which the world has stopped last
const specs = () => app.at.getAll("watch");
const to = (list) => {
  const p = new URLSearchParams(list.map((s) => ["watch", s]));
  location.hash = app.link("watches") + (app.link("watches").includes("?") ? "&" : "?") + p;
};

export default {
  name: "Watches", about: "numbers over time", pace: 250,
  async poll() {
    if (app.get("add")) return;
    const list = specs(), p = new URLSearchParams(list.map((s) => ["watch", s]));
    if (world !== app.head?.id) (kept = new Map()), (last = 0), (world = app.head?.id);
    if (list.some((s) => !kept.has(s))) last = 0;
    p.set("since", last);
    const d = await app.api("watches", p);
    for (const w of d.watches) {
      const old = kept.get(w.spec), all = last && old ? old.all : [];
      w.frames.forEach((f, k) => {
        const v = w.values[k], list = Array.isArray(v) ? v : null, now = list ? list[2] : v; // of quantiles, the median
        all.push([f, numeric(now), now, list && list.map(numeric)]);
      });
      kept.set(w.spec, { all: all.slice(-600), error: w.error, over: w.over, first: w.first || old?.first }); // a watch ends if this view is away for long
    }
    (last = d.frame), (caught = d.caught);
  },
  draw() {
    const more = app.get("add");
    if (more) return to([...new Set([...specs(), ...remembered(), more])]), "";
    if (!specs().length && remembered().length && !app.at.has("none")) return to(remembered()), "";
    remember(specs());
    return [
      h("form", { class: "query", onsubmit: (e) => (e.preventDefault(), e.target.q.value.trim() && to([...new Set([...specs(), e.target.q.value.trim()])]), (e.target.q.value = "")) },
        h("input", { name: "q", "data-query": "", value: "", placeholder: "count Translation !Parent", "aria-label": "A watch", autocomplete: "off", spellcheck: "false" }), h("button", null, "watch")),
      h("p", { class: "dim keys" }, h("code", null, "count QUERY"), " how many match, ", h("code", null, "sum Health QUERY"), " a sum over them, ", h("code", null, "quantiles Health QUERY"), " from the least to the greatest, ", h("code", null, "field 12:3 Translation.Y"), " a number of one entity, ", h("code", null, "odd Translation.Y"), " NaN and infinities"),
      h("p", { class: "keys" }, button()),
      caught && caught !== app.head.caught && !(app.head.paused && app.head.frame === caught.frame) && h("p", { class: "wrong" }, wrote(caught), ", and the world has stopped after this frame."),
      wrong(),
      specs().map((s) => {
        const k = kept.get(s), now = k?.all.at(-1);
        return card([h("code", null, s), " ", h("b", null, now ? brief(now[2]) : ""), k?.over > 1 && h("span", { class: "dim", title: "there is too much to add up in one frame: what changed meanwhile may be in it or not" }, ` each sample over ${num(k.over)} frames`)], h("button", { "aria-label": "stop watching " + s, onclick: () => { const rest = specs().filter((x) => x !== s); remember(rest); rest.length ? to(rest) : app.go("watches", { none: 1 }); } }, "×"),
          k?.first && first(k.first, s),
          k?.error && h("p", { class: "wrong" }, k.error.replace(/^inspect: /, "")),
          (!k?.error || k.all.length > 1) && h("canvas", { class: "line", role: "img", "aria-label": s + (now ? ", now " + brief(now[2]) : ""), draw: line(k?.all || [], k?.first), ...steered((e) => over(e, k?.all || [])) }));
      }),
      !specs().length && empty("Nothing is watched.", "Write a watch above, or click ∿ beside a number of an entity."),
    ];
  },
};
// first tells where an odd value appeared first. It stays when all values are finite again, because the entity may be gone then. A value that the first sample of
// the watch has may be older than the watch.
function first(f, spec) {
  const p = app.head.past, frame = p?.kept && f.frame >= p.first && f.frame <= p.last ? f.frame : "";
  return h("p", { class: "wrong first" }, f.since ? `${f.value} ${f.finite ? "from" : "since"} frame ${frameName(f.frame)}` : `${f.value} was there already in frame ${frameName(f.frame)}, when the watch began`, f.finite ? `, until all were finite in frame ${frameName(f.finite)}` : "", f.since ? "; first in " : "; it is in ", h("a", { href: app.link("entities", { id: f.entity, frame }) }, named(f.entity, f.name), frame && ` in frame ${num(frame)}`),
    !f.since && app.head.past?.kept > 0 && [" ", h("button", { onclick: () => toFirst(spec.split(" ")[1], f.value, f.entity) }, "the first frame with it")],
    f.wrote ? ["; ", wrote(f.wrote)] : f.writers.length ? ["; written by ", systems(f.writers)] : "; no system declares to write it");
}
const numeric = (v) => (typeof v === "number" ? v : NaN);
const key = "lanewise.watches";
function remember(list) {
  try { sessionStorage.setItem(key, JSON.stringify(list)); } catch { /* the address has them */ }
}
function remembered() {
  try { return JSON.parse(sessionStorage.getItem(key)) || []; } catch { return []; }
}
const left = 58;
function bounds(all) {
  const ys = all.flatMap((p) => p[3] || p[1]).filter(isFinite);
  let a = Math.min(...ys), b = Math.max(...ys);
  if (a === b) (a -= Math.abs(a) / 10 || 1), (b += Math.abs(b) / 10 || 1);
  return [a, b];
}
const line = (all, first) => (g, w, below) => {
  const height = below - 14; // the numbers of frames are below
  g.fillStyle = colour("dim");
  if (all.length < 2) return g.fillText("waiting for samples …", left, height / 2);
  const [a, b] = bounds(all), f0 = all[0][0], f1 = all.at(-1)[0];
  const x = (f) => left + ((f - f0) / (f1 - f0 || 1)) * (w - left - 4), y = (v) => height - 6 - ((v - a) / (b - a)) * (height - 12);
  g.textAlign = "center";
  g.fillStyle = colour("dim");
  for (const t of ticks(f0, f1, (w - left) / 160)) if (Number.isInteger(t) && x(t) > left + 20 && x(t) < w - 40) g.fillText("frame " + num(t), x(t), height + 8);
  if (first && first.frame >= f0 && first.frame <= f1) (g.fillStyle = colour("bad")), g.fillRect(x(first.frame) - 0.5, 0, 1, height);
  g.textAlign = "right";
  for (const t of ticks(a, b, 3)) {
    g.fillStyle = colour("line");
    g.fillRect(left, y(t), w, 1);
    g.fillStyle = colour("dim");
    g.fillText(brief(t), left - 6, y(t));
  }
  for (const [low, high, strength] of [[0, 4, 0.15], [1, 3, 0.3]]) {
    const band = all.filter((p) => p[3] && isFinite(p[3][low]) && isFinite(p[3][high]));
    if (!band.length) continue;
    g.beginPath();
    for (const p of band) g.lineTo(x(p[0]), y(p[3][high]));
    for (const p of band.toReversed()) g.lineTo(x(p[0]), y(p[3][low]));
    g.fillStyle = colour("accent");
    g.globalAlpha = strength;
    g.fill();
  }
  g.globalAlpha = 1;
  g.beginPath();
  for (const p of all) isFinite(p[1]) && g.lineTo(x(p[0]), y(p[1]));
  g.strokeStyle = colour("accent");
  g.lineWidth = 1.5;
  g.stroke();
};
function over(e, all) {
  if (!all.length) return;
  const w = e.currentTarget.clientWidth, f = all[0][0] + ((e.offsetX - left) / (w - left - 4)) * (all.at(-1)[0] - all[0][0]);
  const p = all.reduce((m, q) => (Math.abs(q[0] - f) < Math.abs(m[0] - f) ? q : m));
  hint(e, brief(p[2]), ...(p[3] ? [`half of them from ${brief(p[3][1])} to ${brief(p[3][3])}`, `all from ${brief(p[3][0])} to ${brief(p[3][4])}`] : []), "frame " + num(p[0]));
}
