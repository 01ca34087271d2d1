// The view of the order of systems: which system waits for which one and for which component, the critical path, and where the owner waits.
import { h, time, bare, soft, reach, tone, card, empty, plural } from "./dom.js";
import { app } from "./app.js";

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
      h("p", { class: "lead" }, d.frames ? ["Means of ", h("b", null, plural(d.frames, "frame")), " of ", h("b", null, time(d.length)), ". The critical path takes ", h("b", { class: "hot" }, time(critical)), ": no number of workers makes a frame shorter.", d.predicted.length > 0 && [" One worker needs ", h("b", null, time(d.work)), ", so workers make a frame at most ", h("b", null, (d.work / d.span).toFixed(1) + " times"), " as fast."]] : "Nothing was measured yet: this is what systems declare."),
      d.savings.length > 0 && card("What would make a frame shorter", "predicted for " + plural(d.workers, "worker"), h("ol", { class: "bars savings" }, d.savings.map((s) => h("li", null,
        h("span", { class: "bar" }, h("i", { style: { width: Math.min(100, (100 * s.saves) / d.length) + "%" } })), h("span", { class: "n hot" }, "−" + time(s.saves)), h("a", { href: app.link("frame", { system: s.system }) }, soft(s.system)), h("span", { class: "why" }, s.advice + "."))))),
      d.predicted.length > 0 && card("Predicted frame", "with other numbers of workers", h("ol", { class: "bars predicted" }, d.predicted.map((p) => h("li", null,
        h("span", { class: "bar" }, h("i", { style: { width: (100 * p.time) / d.predicted[0].time + "%" } })), h("span", { class: "n" }, time(p.time)), h("span", { class: p.workers === d.workers ? "hot" : "" }, p.workers ? plural(p.workers, "worker") + (p.workers === d.workers ? ", as now; measured " + time(d.length) : "") : "any number"))))),
      d.advice.length > 0 && card("Advice", null, h("ul", { class: "advice" }, d.advice.map((a) => h("li", null, a)))),
      d.notCreated.length > 0 && card("Not created", "system types that this world might have", h("ul", { class: "advice" }, d.notCreated.map((m) => h("li", null, h("b", null, m.name), m.set && h("span", { class: "dim" }, " of the set " + m.set), ": " + m.why)))),
      card("Dependencies", lit ? h("button", { onclick: () => app.go("order", {}, true) }, "all systems") : "a curve is a wait over a component; choose a system to see its own", graph(d)),
      h("div", { class: "two" },
        card("Critical path", time(critical), d.critical.length ? h("ol", { class: "bars" }, d.critical.map((l) => h("li", null, h("span", { class: "bar" }, h("i", { style: { width: (100 * l.time) / critical + "%" } })), h("span", { class: "n" }, time(l.time)), h("a", { href: app.link("frame", { system: l.system }) }, soft(l.system)), l.jobs && h("span", { class: "dim" }, " jobs")))) : empty("No system took any time.", "Let the world run: the times come from its frames.")),
        card("Sync points", "the owner waits for all jobs", d.syncs.length ? h("ul", { class: "plain" }, d.syncs.map((s) => h("li", null, h("b", null, s.system ? soft(s.system) : "the end of the frame"), " ", h("span", { class: "n hot" }, time(s.waited)), h("span", { class: "dim" }, s.count > 1.05 ? ", " + s.count.toFixed(1) + " times a frame" : ""), s.for.length > 0 && h("div", { class: "dim" }, "for ", s.for.map((f, k) => [k ? ", " : "", f.system + " " + time(f.time)]))))) : empty("None in these frames.", "There is nothing to do: no system made the owner wait.")),
      ),
      d.parallel.length > 0 && card("May run at the same time", null, h("ul", { class: "plain parallel" }, d.parallel.map((wave) => h("li", null, wave.map((s, k) => [k ? h("span", { class: "dim" }, " ∥ ") : "", h("a", { href: app.link("frame", { system: s }) }, soft(s))]))))),
    ];
  },
};

// graph draws the systems in order, the time of each system, and an arc for each wait.
function graph(d) {
  const inside = new Set(d.waits.flatMap((w) => [w.system, w.for]));
  const list = d.systems.filter((s) => !s.group && (s.own > 0 || s.work > 0 || inside.has(s.name)));
  if (!list.length) return empty("No system has run yet.", "Resume the world if it is paused, or see Frame for why a system does not run.");
  const at = new Map(list.map((s, k) => [s.name, k])), row = 26, tall = list.length * row + 8;
  const most = Math.max(...list.map((s) => Math.max(s.own + s.waited, s.span, s.work)), 1);
  const critical = new Set(d.critical.map((l) => l.system));
  const pairs = new Map();
  for (const w of d.waits) {
    const key = w.system + "\n" + w.for;
    if (!pairs.has(key)) pairs.set(key, []);
    if (!pairs.get(key).includes(w.component)) pairs.get(key).push(w.component);
  }
  const arcs = [], told = [], shown = new Map();
  for (const [key, components] of pairs) {
    const [to, from] = key.split("\n"), a = at.get(from), b = at.get(to);
    if (a == null || b == null || (lit && lit !== to && lit !== from)) continue;
    const y1 = a * row + 17, y2 = b * row + 17, reach = Math.min(8 + 15 * Math.abs(b - a), 270), c = tone(components[0], undefined, 0.13);
    arcs.push(h("g", { class: "arc" }, h("title", null, bare(to) + " waits for " + bare(from) + ": " + components.map(bare).join(", ")),
      h("path", { d: `M4 ${y1}C${reach} ${y1} ${reach} ${y2} 4 ${y2}`, stroke: c }), h("path", { class: "tip", d: `M3 ${y2}l8 -4v8z`, fill: c })));
    shown.set(components[0], c);
    if (lit) told.push(h("li", null, h("a", { href: app.link("order", { system: to }) }, soft(bare(to))), " waits for ", h("a", { href: app.link("order", { system: from }) }, soft(bare(from))), " over ", components.map((x, k) => [k ? ", " : "", soft(bare(x))])));
  }
  // The names of components are below the curves, because a name beside a curve would be crossed by another curve.
  const legend = h("p", { class: "legend" }, [...shown].map(([component, c]) => h("span", { key: component, title: component }, h("i", { style: { background: c } }), soft(bare(component)))));
  return [h("div", { class: "graph scroll", role: "group", "aria-label": "dependencies", then: reach },
    h("ol", null, list.map((s) => {
      const speed = s.span > 0 ? s.work / s.span : 0;
      return h("li", { class: (critical.has(s.name) ? "critical" : "") + (lit && lit !== s.name && !d.waits.some((w) => (w.system === s.name && w.for === lit) || (w.for === s.name && w.system === lit)) ? " far" : "") },
        h("button", { class: "bare name", "aria-pressed": String(lit === s.name), onclick: () => app.go("order", { system: lit === s.name ? "" : s.name }, true) }, soft(s.name)),
        h("span", { class: "took", title: `own ${time(s.own)}, waited ${time(s.waited)}, jobs ${time(s.work)} in ${time(s.span)}` },
          h("i", { class: "own", style: { width: (100 * s.own) / most + "%" } }), h("i", { class: "waited", style: { width: (100 * s.waited) / most + "%", left: (100 * s.own) / most + "%" } }), h("i", { class: "work", style: { width: (100 * s.span) / most + "%" } })),
        h("span", { class: "n dim" }, s.work ? time(s.span) + (speed > 1.05 ? " ×" + speed.toFixed(1) : "") : time(s.own)));
    })),
    h("svg", { viewBox: `0 0 220 ${tall}`, width: 220, height: tall, role: "img", "aria-label": "waits: " + [...pairs].slice(0, 40).map(([k, c]) => k.replace("\n", " for ") + " over " + c.join(", ")).join("; ") }, arcs)), legend, told.length > 0 && h("ul", { class: "plain told" }, told)];
}
