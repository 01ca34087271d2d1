// The view of the order of systems: which system waits for which one and for which component, the critical path, and where the owner waits.
import { h, time, side, bare, soft, reach, tone, card, empty, plural } from "./dom.js";
import { app, systems } from "./app.js";

let data = null, lit = "", of = null;

export default {
  name: "Order", about: "who waits for whom, what is critical", pace: 1000,
  async poll() {
    data = await app.api("order");
    of = app.head?.id;
  },
  draw() {
    const d = data;
    if (!d || of !== app.head?.id) return empty("Measuring …");
    const critical = d.critical.reduce((sum, l) => sum + l.time, 0);
    lit = app.get("system");
    return [
      h("p", { class: "lead", key: "lead" }, d.frames ? ["Means of ", h("b", null, plural(d.frames, "frame")), " of ", h("b", null, time(d.length)), ". The critical path takes ", h("b", { class: "hot" }, time(critical)), ": no number of workers makes a frame shorter.", d.predicted.length > 0 && [" One worker needs ", h("b", null, time(d.work)), ", so workers make a frame at most ", h("b", null, (d.work / d.span).toFixed(1) + " times"), " as fast."], d.watched && " While they ran, a watcher, such as the catch of NaN, made each system wait for its own jobs. The prediction leaves these waits out."] : "Nothing was measured yet: this is what systems declare."),
      sources(d),
      d.predicted.length > 0 && card("What would make a frame shorter", "predicted for " + plural(d.workers, "worker"), h("ol", { class: "bars savings", then: steady }, d.savings.length ? d.savings.map((s) => bar(s.saves / (d.recordedLength || d.length), h("span", { class: "hot" }, "−" + time(s.saves)), systems([s.system]), h("span", { class: "why" }, s.advice + "."))) : h("li", { class: "dim" }, h("span", null, "In the last recorded frames, no change of the order of systems or of their blocks would save 1 % of a frame.", longest(d, critical))))),
      card("Dependencies", lit ? h("button", { onclick: () => app.go("order", {}, true) }, "all systems") : "a curve is a wait over a component; choose a system to see its own", graph(d)),
      h("div", { class: "two", key: "two" },
        card("Critical path", time(critical), d.critical.length ? path(d.critical, critical) : empty("No system took any time.", "Let the world run: the times come from its frames.")),
        card("Sync points", "the owner waits for all jobs", d.syncs.length ? h("ul", { class: "plain" }, d.syncs.map((s) => h("li", null, h("b", null, s.system ? soft(s.system) : "the end of the frame"), " ", h("span", { class: "n hot" }, time(s.waited)), h("span", { class: "dim" }, s.count > 1.05 ? ", " + s.count.toFixed(1) + " times a frame" : ""), s.for.length > 0 && h("div", { class: "dim" }, "for ", s.for.map((f, k) => [k ? ", " : "", f.system + " " + time(f.time)]))))) : empty("None in these frames.", "There is nothing to do: no system made the owner wait.")),
      ),
      d.predicted.length > 0 && card("Predicted frame", `from ${plural(d.recorded, "recorded frame")} of ${time(d.recordedLength)}`, h("ol", { class: "bars predicted" }, d.predicted.map((p) => bar(p.time / d.predicted[0].time, time(p.time), h("span", { class: p.workers === d.workers ? "hot" : "" }, p.workers ? plural(p.workers, "worker") + (p.workers === d.workers ? ", as now" : "") : "any number"))))),
      d.parallel.length > 0 && card("May run at the same time", null, h("p", { class: "dim" }, "In each line, no system waits for another one. Systems of different lines may run at the same time too, unless one waits for the other. Choose a system above to see its waits."), h("ul", { class: "plain parallel" }, d.parallel.map((wave) => h("li", null, wave.map((s, k) => [k ? h("span", { class: "dim" }, " ∥ ") : "", systems([s])]))))),
      d.advice.length > 0 && card("Advice", null, h("ul", { class: "advice" }, alike(d.advice))),
      d.notCreated.length > 0 && card("Not created", null, h("details", null, h("summary", null, plural(d.notCreated.length, "system type") + " that this world might have"), h("ul", { class: "advice" }, d.notCreated.map((m) => h("li", null, h("b", null, m.name), m.set && h("span", { class: "dim" }, " of the set " + m.set), ": " + m.why))))),
    ];
  },
};

// steady keeps the height of an element that it once had, so that the page below it does not move when its content changes.
const steady = (n) => {
  if (n.wide !== n.clientWidth) (n.wide = n.clientWidth), (n.style.minHeight = "");
  n.style.minHeight = n.offsetHeight + "px";
};

// sources says which numbers come from other frames than the means. A prediction far from the mean gets a warning.
function sources(d) {
  if (!d.predicted.length || (d.recorded === d.frames && d.recordedLength === d.length)) return null;
  const now = d.predicted.find((p) => p.workers === d.workers)?.time, off = now && d.length ? now / d.length : 1, far = off > 1.25 || off < 0.8;
  return h("p", { class: "doubt " + (far ? "hot" : "dim"), key: "doubt" }, `The predictions and the savings come from ${plural(d.recorded, "recorded frame")} of ${time(d.recordedLength)} (median), and the critical path from one of them. The other times are means of all ${plural(d.frames, "frame")}.`,
    far && ` So trust the order of savings more than their milliseconds: predicted for the present workers are ${time(now)}, the mean is ${time(d.length)}.${d.watched ? "" : " Other programs on the machine make such a difference, and so do frames that are not alike."}`);
}

// longest names the part of the critical path that takes most of it.
function longest(d, sum) {
  const most = d.critical.reduce((a, b) => (b.time > a.time ? b : a), { time: 0 });
  return most.time > sum / 2 && [" ", systems([most.system]), most.jobs ? "'s jobs take " : " takes ", Math.floor((100 * most.time) / sum) + " % of the critical path: only less work there makes a frame much shorter."];
}

// bar returns a row of a list of bars.
const bar = (share, value, ...what) => h("li", null, h("span", { class: "bar" }, h("i", { style: { width: Math.min(100, 100 * share) + "%" } })), h("span", { class: "n" }, value), what);

// path lists the critical path, with its short parts together.
function path(parts, sum) {
  const long = parts.filter((l) => l.time >= sum / 100), rest = parts.filter((l) => l.time < sum / 100), short = rest.reduce((t, l) => t + l.time, 0);
  return h("ol", { class: "bars" }, long.map((l) => bar(l.time / sum, time(l.time), systems([l.system]), l.jobs && h("span", { class: "dim" }, " jobs"))),
    rest.length > 0 && bar(short / sum, time(short), h("span", { class: "dim", title: [...new Set(rest.map((l) => l.system))].join(", ") }, `${plural(rest.length, "part")} below 1 %`)));
}

// alike lists advice. It puts together those texts that differ only in the system, which is the first word.
function alike(list) {
  const all = Map.groupBy(list, (text) => text.replace(/^\S+ /, ""));
  return [...all].map(([text, own]) => (own.length === 1 ? h("li", { key: text }, own[0]) : h("li", { key: text }, h("details", null, h("summary", null, plural(own.length, "system") + ": … " + text), own.map((a) => a.split(" ")[0]).join(", ")))));
}

// chains returns, for each system that waits for the given one directly or through others, the systems between them; or, with back, for each one for which
// it waits.
function chains(waits, name, back) {
  const found = new Map([[name, []]]), queue = [name], [from, to] = back ? ["system", "for"] : ["for", "system"];
  for (const at of queue)
    for (const w of waits)
      if (w[from] === at && !found.has(w[to])) found.set(w[to], at === name ? [] : [...found.get(at), at]), queue.push(w[to]);
  found.delete(name);
  return found;
}

// graph draws the systems in order, the time of each system, and an arc for each wait.
function graph(d) {
  const inside = new Set(d.waits.flatMap((w) => [w.system, w.for]));
  const list = d.systems.filter((s) => !s.group && (s.own > 0 || s.work > 0 || inside.has(s.name)));
  if (!list.length) return empty("No system has run yet.", "Resume the world if it is paused, or see Frame for why a system does not run.");
  const at = new Map(list.map((s, k) => [s.name, k])), row = 26, tall = list.length * row + 8;
  const most = Math.max(...list.map((s) => Math.max(s.own + s.waited, s.span, s.work)), 1);
  const critical = new Set(d.critical.map((l) => l.system));
  const once = [...Map.groupBy(d.waits, (w) => [w.system, w.for, w.component].join("\n")).values()].map(([first]) => first);
  const pairs = Map.groupBy(once, (w) => w.system + "\n" + w.for), writer = (w) => side(w.system, w.writes, w.for, w.forItWrites);
  const later = lit ? chains(d.waits, lit) : new Map(), earlier = lit ? chains(d.waits, lit, true) : new Map();
  const near = (name) => !lit || name === lit || later.has(name) || earlier.has(name), both = (m, a, b) => (m.has(a) || a === lit) && (m.has(b) || b === lit);
  const arcs = [], told = [], shown = new Map(), name = (s) => h("a", { href: app.link("order", { system: s }) }, soft(bare(s)));
  for (const [key, waits] of pairs) {
    const [to, from] = key.split("\n"), a = at.get(from), b = at.get(to), component = waits[0].component;
    if (a == null || b == null || (lit && !both(later, to, from) && !both(earlier, to, from))) continue;
    const y1 = a * row + 17, y2 = b * row + 17, reach = Math.min(8 + 15 * Math.abs(b - a), 270), c = tone(component, undefined, 0.13);
    arcs.push(h("g", { class: "arc" }, h("title", null, bare(to) + " waits for " + bare(from) + ": " + waits.map((w) => bare(w.component) + ", " + writer(w)).join("; ")),
      h("path", { d: `M4 ${y1}C${reach} ${y1} ${reach} ${y2} 4 ${y2}`, stroke: c }), h("path", { class: "tip", d: `M3 ${y2}l8 -4v8z`, fill: c })));
    shown.set(component, c);
    if (lit === to || lit === from) told.push(h("li", null, name(to), " waits for ", name(from), " over ", waits.map((w, k) => [k ? ", " : "", soft(bare(w.component)), ` (${writer(w)})`])));
  }
  const through = (by) => [" through ", by.map((s, k) => [k ? ", " : "", name(s)])];
  for (const [s, by] of later) if (by.length) told.push(h("li", null, name(s), " waits for ", name(lit), through([...by].reverse())));
  for (const [s, by] of earlier) if (by.length) told.push(h("li", null, name(lit), " waits for ", name(s), through(by)));
  // The names of components are below the curves, because a name beside a curve would be crossed by another curve.
  const legend = h("p", { class: "legend" }, [...shown].map(([component, c]) => h("span", { key: component, title: component }, h("i", { style: { background: c } }), soft(bare(component)))));
  return [h("div", { class: "graph scroll", role: "group", "aria-label": "dependencies", then: reach },
    h("ol", null, list.map((s) => {
      const speed = s.span > 0 ? s.work / s.span : 0;
      return h("li", { class: (critical.has(s.name) ? "critical" : "") + (near(s.name) ? "" : " far") },
        h("button", { class: "bare name", "aria-pressed": String(lit === s.name), onclick: () => app.go("order", { system: lit === s.name ? "" : s.name }, true) }, soft(s.name)),
        h("span", { class: "took", title: `own ${time(s.own)}, waited ${time(s.waited)}, jobs ${time(s.work)} in ${time(s.span)}` },
          h("i", { class: "own", style: { width: (100 * s.own) / most + "%" } }), h("i", { class: "waited", style: { width: (100 * s.waited) / most + "%", left: (100 * s.own) / most + "%" } }), h("i", { class: "work", style: { width: (100 * s.span) / most + "%" } })),
        h("span", { class: "n dim" }, s.work ? time(s.span) + (speed > 1.05 ? " ×" + speed.toFixed(1) : "") : time(s.own)));
    })),
    h("svg", { viewBox: `0 0 220 ${tall}`, width: 220, height: tall, role: "img", "aria-label": "waits: " + [...pairs].slice(0, 40).map(([k, own]) => k.replace("\n", " for ") + " over " + own.map((w) => w.component).join(", ")).join("; ") }, arcs)), legend, told.length > 0 && h("ul", { class: "plain told" }, told)];
}
