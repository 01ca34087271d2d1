// The view of memory: the memory of the world and the process, the garbage collector, and the recordings of slow frames.
import { h, num, bytes, time, card, empty, tile, percent, spark, scroll } from "./dom.js";
import { app } from "./app.js";

let data = null, box = null, heap = [];

export default {
  name: "Memory", about: "heap, collector, slow frames", pace: 1000,
  async poll() {
    data = await app.api("memory");
    box = await app.api("box");
    heap = heap.concat(data.heap).slice(-240);
  },
  draw() {
    const d = data;
    if (!d) return empty("Counting …");
    const most = Math.max(1, ...d.pauses.map((p) => p.count));
    return [
      card("World", null, h("div", { class: "tiles" }, tile("entities", num(d.entities), percent(d.fill) + " of the rows"), tile("chunks", num(d.chunks), bytes(d.live)), tile("slabs", bytes(d.bytes), d.bytes > d.live ? bytes(d.bytes - d.live) + " kept for more" : ""), tile("wasted", bytes(d.wasted), percent(d.bytes ? d.wasted / d.bytes : 0) + " of the slabs hold no row"), tile("archetypes", num(d.archetypes)))),
      card("Process", spark(heap, "heap"), h("div", { class: "tiles" }, tile("heap", bytes(d.heap), num(d.objects) + " objects"), tile("from the system", bytes(d.total)), tile("allocated", bytes(d.allocated), "since it began"), tile("collections", num(d.cycles), "next at " + bytes(d.goal)), tile("goroutines", num(d.goroutines)))),
      card("Pauses of the collector", "since the process began", d.pauses.length ? h("ol", { class: "bars" }, d.pauses.map((p) => h("li", null, h("span", { class: "bar" }, h("i", { style: { width: (100 * p.count) / most + "%" } })), h("span", { class: "n" }, num(p.count)), h("span", { class: "dim" }, p.up ? "up to " + time(p.up) : "longer")))) : empty("None yet.", "The collector runs when the heap reaches the size under collections.")),
      box && card("Slow frames", box.on && (box.budget ? "longer than " + time(box.budget) : "longer than 3 × the median"), box.why && h("p", { class: "dim" }, box.why), box.on && !box.captures.length && empty("No frame was too slow so far.", "This card will show the frame, with a trace: leave the program running."),
        box.captures.length > 0 && scroll(h("table", null, h("thead", null, h("tr", null, h("th", null, "frame"), h("th", { class: "n" }, "took"), h("th", { class: "n" }, "limit"), h("th", null, "when"), h("th", null, "files"))), h("tbody", null, box.captures.map((c) => h("tr", { key: c.id }, h("td", null, c.world + ", frame " + num(c.frame)), h("td", { class: "n hot" }, time(c.took)), h("td", { class: "n dim" }, time(c.limit)), h("td", { class: "dim" }, c.when.slice(11, 19)),
          h("td", null, h("button", { onclick: () => save("box/timeline", c, "json") }, "timeline"), " ", h("button", { disabled: !c.trace, title: c.why || "for go tool trace, " + bytes(c.bytes), onclick: () => save("box/trace", c, "trace") }, "trace")))))))),
    ];
  },
};

async function save(path, c, end) {
  const got = await app.api(path, { id: c.id }), blob = got instanceof Blob ? got : new Blob([JSON.stringify(got)], { type: "application/json" });
  const a = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `frame-${c.frame}.${end}` });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60e3);
}
