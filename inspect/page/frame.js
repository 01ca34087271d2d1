// The view of a frame: a timeline of systems and jobs on each worker, and a table of the systems with their times.
import { h, time, num, median, side, bare, soft, colour, tone, hint, steered, spark, chip, card, ticks, percent, plural, scroll } from "./dom.js";
import { app, denied } from "./app.js";

let picked = "", pointed = "", folds = new Set(), zoom = null, places = [];

export default {
  name: "Frame", about: "what happened when, and who is slow", pace: 300,
  leave: () => ((zoom = null), (picked = "")),
  draw() {
    const f = app.head;
    picked = app.get("system");
    const usual = median(f.all), busy = f.spans.filter((s) => s.kind === "job").reduce((sum, s) => sum + s.b - s.a, 0);
    return [
      card(
        ["Frame " + num(f.shown) + ": ", h("b", null, time(f.length)), usual > 0 && ` (median ${time(usual)})`, " on " + plural(f.workers, "worker") + ", busy ", h("b", null, percent(f.length ? Math.min(1, busy / f.length / f.workers) : 0)), " of it"],
        [zoom && h("button", { onclick: () => ((zoom = null), app.show()) }, "whole frame"), h("button", { class: app.held ? "on" : "", title: "key h", onclick: app.hold }, app.held ? "follow" : "hold")],
        h("canvas", { class: "timeline", role: "img", "aria-label": "timeline of workers; the table below has the same", style: { height: tall(f) + "px" }, draw: timeline(f), ...steered(over, { Enter: () => pick(pointed), "+": (c, x) => enlarge(c, x, 0.5), "-": (c, x) => enlarge(c, x, 2) }), onpointerdown: grab, ondblclick: () => ((zoom = null), app.show()) }),
        h("p", { class: "legend" }, [["groups", "group"], ["the owner waits", "waits"], ["asleep", "line"]].map(([t, c]) => h("span", null, h("i", { style: { background: `var(--${c})` } }), t)), h("span", null, "updates and jobs have the colour of their system; drag to look closer, or move with the arrow keys and press + or -")),
      ),
      card("Systems " + (app.get("sort") ? "by time" : "in order"), h("a", { href: app.link("frame", { system: picked, sort: app.get("sort") ? "" : "slow" }) }, app.get("sort") ? "in order" : "slowest first"), table(f)),
      h("p", { class: "dim" }, "Own: time on the owner's goroutine. Waited: time in which the owner waited for jobs. Jobs: time on all workers together; it may be longer than the frame, or be in the next one. Last: in the last frame. Medians and maxima are of the last 240 timed frames, and looking makes them a little longer." + (f.timed < 0.95 ? " Times are taken of " + percent(f.timed) + " of the frames: more would cost more than a hundredth of them." : "")),
    ];
  },
};

// The timeline.
const row = 19, left = () => (innerWidth < 700 ? 62 : 96);
function lanes(f) {
  const deep = Math.max(0, ...f.spans.filter((s) => s.lane === "owner").map((s) => s.depth)) + 1;
  const list = [["owner", Math.min(deep, 7)], ["owner jobs", 1]];
  for (let k = 1; k < f.workers; k++) list.push(["worker " + k, 1]);
  return list;
}
const tall = (f) => 24 + lanes(f).reduce((sum, l) => sum + l[1] * row + 7, 0);
const timeline = (f) => (g, w, height) => {
  const x0 = left(), [a, b] = zoom || [0, f.length || 1], x = (t) => x0 + ((t - a) / (b - a)) * (w - x0 - 4);
  places = [];
  g.textAlign = "center";
  for (const t of ticks(a, b, w / 110)) {
    g.fillStyle = colour("line");
    g.fillRect(x(t), 18, 1, height);
    g.fillStyle = colour("dim");
    if (x(t) > x0 + 8) g.fillText(t ? time(t) : "0", Math.min(x(t), w - 26), 8);
  }
  g.textAlign = "left";
  let y = 22;
  for (const [lane, rows] of lanes(f)) {
    g.fillStyle = colour("dim");
    g.fillText(lane, 2, y + row / 2 - 1);
    g.fillStyle = colour("groove");
    g.fillRect(x0, y, w - x0 - 4, rows * row - 2);
    g.save();
    g.beginPath();
    g.rect(x0, 0, w - x0 - 4, height);
    g.clip();
    for (const s of f.spans) {
      if (s.lane !== lane || s.b < a || s.a > b) continue;
      const d = Math.min(s.depth, rows - 1), l = Math.max(x(s.a), x0), r = Math.max(Math.min(x(s.b), w), l + 1), top = y + d * row;
      const lit = picked && s.name.includes(picked);
      g.globalAlpha = picked && !lit ? 0.3 : 1;
      g.fillStyle = s.kind === "wait" ? colour("waits") : s.kind === "sleep" ? colour("line") : s.kind === "group" ? colour("group") : tone(s.name.split(":")[0]);
      const tallness = s.kind === "sleep" ? 5 : row - 3;
      g.fillRect(l, top + (row - 3 - tallness) / 2, Math.max(r - l - 0.5, 0.8), tallness);
      if (r - l > 34 && s.kind !== "sleep") {
        g.fillStyle = s.kind === "group" ? colour("ink") : s.kind === "wait" ? colour("ink") : "#10141c";
        g.save();
        g.beginPath();
        g.rect(l, top, r - l - 3, row);
        g.clip();
        g.fillText(label(s), l + 5, top + row / 2 - 1);
        g.restore();
      }
      places.push([l, top, r, top + row, s]);
    }
    g.restore();
    g.globalAlpha = 1;
    y += rows * row + 7;
  }
  if (drag) {
    g.fillStyle = colour("accent");
    g.globalAlpha = 0.25;
    g.fillRect(Math.min(drag.from, drag.to), 18, Math.abs(drag.to - drag.from), height);
    g.globalAlpha = 1;
  }
};
const label = (s) => {
  const [system, job] = s.name.split(": ");
  return s.kind === "wait" ? "waits for " + s.name : job && job !== system ? bare(system) + ": " + bare(job) : s.kind === "job" ? bare(system) : system;
};
const under = (e) => places.findLast(([l, t, r, b]) => e.offsetX >= l - 1 && e.offsetX <= r + 1 && e.offsetY >= t && e.offsetY < b)?.[4];
function over(e) {
  if (drag) return;
  const s = under(e);
  pointed = s ? s.name.split(":")[0] : "";
  if (s?.kind === "wait") return hint(e, ...waiting(app.head, s));
  s ? hint(e, s.name, { sleep: "asleep: ", job: "job: ", group: "group: ", update: "update: " }[s.kind] + time(s.b - s.a), "from " + (time(s.a) === "–" ? "0" : time(s.a)) + " on" + (s.blocks ? ", " + plural(s.blocks, "block") : "")) : hint();
}
// waiting says which system waits for which one, for how long, and because of which components.
function waiting(f, s) {
  const by = f.spans.filter((o) => o.kind === "update" && o.lane === s.lane && o.a <= s.a && o.b >= s.b).sort((a, b) => b.depth - a.depth)[0]?.name;
  const find = (name) => f.systems.find((o) => o.name === name), a = find(by), b = find(s.name), uses = (o) => o.reads.concat(o.writes);
  const shared = a && b && a !== b ? [...new Set(uses(a))].filter((c) => uses(b).includes(c) && (a.writes.includes(c) || b.writes.includes(c))) : [];
  return [`${by || "the owner"} waits for ${s.name}: ${time(s.b - s.a)}`, ...shared.slice(0, 6).map((c) => `over ${bare(c)}: ${side(by, a.writes.includes(c), s.name, b.writes.includes(c))}`), !shared.length && "for all its jobs: see the sync points in Order"].filter(Boolean);
}
// enlarge shows a shorter or longer part of the frame, with the same time below the pointer.
function enlarge(c, x, by) {
  const x0 = left(), all = app.head.length || 1, [a, b] = zoom || [0, all];
  const at = a + (Math.max(x - x0, 0) / (c.clientWidth - x0 - 4)) * (b - a), from = Math.max(at - (at - a) * by, 0), to = Math.min(at + (b - at) * by, all);
  if (to - from < 0.05) return;
  zoom = to - from > 0.999 * all ? null : [from, to];
  app.held ||= zoom != null;
  app.show();
}
let drag = null;
function grab(e) {
  const c = e.currentTarget, f = app.head, start = e.offsetX;
  drag = { from: start, to: start };
  c.setPointerCapture(e.pointerId);
  c.onpointermove = (m) => ((drag.to = m.offsetX), app.show());
  c.onpointerup = (u) => {
    const x0 = left(), w = c.clientWidth - x0 - 4, [a, b] = zoom || [0, f.length || 1];
    const at = (x) => a + Math.min(Math.max((x - x0) / w, 0), 1) * (b - a), [p, q] = [at(drag.from), at(u.offsetX)].sort((m, n) => m - n);
    const moved = Math.abs(u.offsetX - start) > 6;
    c.onpointermove = c.onpointerup = drag = null;
    if (moved && q - p > 0.05) (zoom = [p, q]), (app.held ||= true);
    else {
      const s = under(u);
      pick(s ? s.name.split(":")[0] : "");
    }
    app.show();
  };
}
const pick = (name) => app.go("frame", { system: name === picked ? "" : name, sort: app.get("sort") }, true);

// The table.
function table(f) {
  let list = f.systems.map((s, k) => ({ ...s, k }));
  const sort = app.get("sort"), rows = [];
  if (sort) list = list.filter((s) => !s.group && !s.idle).sort((a, b) => b.median.own + b.median.work - a.median.own - a.median.work);
  for (let k = 0; k < list.length; k++) {
    const s = list[k];
    let n = k;
    if (!sort) while (n < list.length && quiet(list[n]) && list[n].depth === s.depth && list[n].apart === s.apart) n++;
    if (n - k > 1) {
      const key = s.full + s.k, open = folds.has(key);
      rows.push(h("tr", { key, class: "fold" }, h("td", { colspan: 9, style: { "padding-left": indent(s) } }, h("button", { class: "bare", "aria-expanded": String(open), onclick: () => (open ? folds.delete(key) : folds.add(key), app.show()) }, (open ? "▾ " : "▸ ") + (n - k) + " idle: " + list.slice(k, k + 3).map((x) => bare(x.name)).join(", ") + (n - k > 3 ? ", …" : "")))));
      if (open) for (; k < n; k++) rows.push(line(list[k]));
      else k = n;
      k--;
    } else rows.push(line(s));
  }
  return scroll(h("table", { class: "systems" },
    h("thead", null, h("tr", null, h("th", null, "system"), ["own last", "own median", "own max", "waited median", "jobs median", "jobs max"].map((t) => h("th", { class: "n two-lines" }, t.split(" ").map((word, k) => (k ? h("small", null, word) : word + " ")))), h("th", null, "own + jobs"), h("th", { title: "components that it reads and writes, or why it does not run" }, "touches, or why not"))),
    h("tbody", null, rows)));
}
// quiet reports whether a system did not run in any of the kept frames. The table hides such systems. It shows a system that ran in some frames, for example in fixed steps.
const quiet = (s) => !s.group && s.idle && !s.max.own && !s.max.work && !/^off|^it (is )?(switched )?off|disabled/i.test(s.idle) && s.enabled;
const indent = (s) => 8 + 16 * s.depth + "px";
function line(s) {
  const locked = denied("edit"), base = s.name, sel = picked && base === picked;
  const n = (x, hot) => h("td", { class: "n" + (x ? (hot ? " hot" : "") : " none") }, time(x));
  const touched = [...s.writes.map((c) => [c, "w"]), ...s.reads.filter((c) => !s.writes.includes(c)).map((c) => [c, "r"])];
  const cells = s.group
    ? h("td", { colspan: 8, class: "none" })
    : [n(s.last.own), n(s.median.own), n(s.max.own), n(s.median.waited, s.median.waited > 100), n(s.median.work), n(s.max.work), h("td", null, s.spark.some((x) => x) && spark(s.spark, "own and jobs of the last frames")),
      h("td", { class: "touch" }, s.idle ? h("span", { class: "why" }, s.idle) : [touched.slice(0, 4).map(([c, k]) => chip(bare(c), k, () => app.go("entities", { q: c }), (k === "w" ? "writes " : "reads ") + c)), touched.length > 4 && h("span", { class: "dim", title: touched.slice(4).map(([c, k]) => (k === "w" ? "writes " : "reads ") + c).join("\n") }, "+" + (touched.length - 4))])];
  return h("tr", { key: s.full + s.k, class: (s.group ? "group " : "") + (s.idle || !s.enabled ? "idle " : "") + (sel ? "sel" : "") },
    h("td", { style: { "padding-left": indent(s) } }, h("div", { class: "switch" },
      h("input", { type: "checkbox", checked: s.enabled, disabled: !!locked, "aria-label": s.name + " is on", title: locked || "switch it on or off", onclick: (e) => (e.preventDefault(), app.act("system", { name: s.full, on: !s.enabled }, base + (s.enabled ? " is off" : " is on"))) }),
      s.group ? h("span", { class: "name" }, soft(s.name)) : h("button", { class: "bare name", "aria-pressed": String(!!sel), onclick: () => pick(base), title: s.full }, soft(s.name)), s.apart && h("span", { class: "dim" }, "in no group"))),
    cells);
}
