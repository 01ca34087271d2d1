// The view of structural changes: the operations of each system in each frame.
import { h, num, card, empty, soft, scroll } from "./dom.js";
import { app } from "./app.js";

let all = [], edits = [], next = 0, lost = 0, world = "";

export default {
  name: "Changes", about: "what changed the structure", pace: 500,
  async poll() {
    if (world !== app.head?.id) (all = []), (next = lost = 0), (world = app.head?.id);
    const d = await app.api("journal", { since: next });
    if (next) lost += d.lost;
    next = d.next;
    edits = d.edits;
    all = all.concat(d.changes).slice(-2000);
  },
  draw() {
    const who = app.get("system"), sums = new Map();
    for (const c of all) {
      const k = c.system + "\n" + c.op, s = sums.get(k) || { system: c.system, op: c.op, times: 0, more: 0, fewer: 0, frames: 0, last: 0 };
      s.times += c.times, (s.more += c.more), (s.fewer += c.fewer), s.frames++, (s.last = c.frame);
      sums.set(k, s);
    }
    const name = (s) => s.replace(/^.*\//, "") || "between systems", shown = who ? all.filter((c) => name(c.system) === who) : all;
    const cells = (c) => [h("td", { class: "n" }, num(c.times)), h("td", { class: "n good" }, c.more ? "+" + num(c.more) : ""), h("td", { class: "n bad" }, c.fewer ? "−" + num(c.fewer) : "")];
    const words = ["system", "operation"];
    const head = (...t) => h("thead", null, h("tr", null, t.map((x) => h("th", { class: words.includes(x) ? "" : "n" }, x))));
    if (!all.length && !edits.length) return empty("No structural change so far: no entity came or went, none got or lost a component.", "The list begins when a client connects, so keep this page open, or let the world run if it is paused.");
    return [
      edits.length > 0 && card("Edits", "by clients of the inspector", scroll(h("table", { class: "edits" }, h("thead", null, h("tr", null, ["frame", "operation", "what"].map((x) => h("th", { class: x === "frame" ? "n" : "" }, x)))), h("tbody", null, edits.slice(-20).reverse().map((c) => h("tr", null, h("td", { class: "n" }, num(c.frame)), h("td", null, h("code", null, c.op)), h("td", null, c.what))))))),
      card("By system", lost ? num(lost) + " entries were lost" : "", scroll(h("table", null, head("system", "operation", "times", "created", "destroyed", "in frames", "last"), h("tbody", null, [...sums.values()].sort((a, b) => b.times - a.times).map((s) =>
        h("tr", { key: s.system + s.op, class: who === name(s.system) ? "sel" : "" }, h("td", null, h("button", { class: "bare name", onclick: () => app.go("changes", { system: who === name(s.system) ? "" : name(s.system) }, true) }, soft(name(s.system)))), h("td", null, h("code", null, s.op)), cells(s), h("td", { class: "n" }, num(s.frames)), h("td", { class: "n" }, num(s.last)))))))),
      card("The last ones" + (who ? " of " + who : ""), who && h("a", { href: app.link("changes") }, "of all"), scroll(h("table", null, head("frame", "system", "operation", "times", "created", "destroyed"), h("tbody", null, shown.slice(-60).reverse().map((c) => h("tr", null, h("td", { class: "n" }, num(c.frame)), h("td", null, name(c.system)), h("td", null, h("code", null, c.op)), cells(c))))))),
    ];
  },
};
