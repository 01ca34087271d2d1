// The view of worlds: a list of the worlds, and the phases of the loop that updates them.
import { h, num, time, card, empty, scroll } from "./dom.js";
import { app } from "./app.js";

let loop = null;

export default {
  name: "Worlds", about: "worlds, and the phases of their loop", pace: 1000,
  async poll() {
    app.worlds = await app.api("worlds");
    loop = await app.api("loop");
  },
  draw() {
    const w = app.worlds;
    return [
      card("Worlds", null, !w || !w.worlds.length ? empty("No world has systems.", "Create one with app.Play or system.NewWorld, and pass no inspect.Only that leaves it out.") : scroll(h("table", null, h("thead", null, h("tr", null, h("th", null, "world"), h("th", { class: "n" }, "frame"), h("th", { class: "n" }, "since its last frame"), h("th"))), h("tbody", null, w.worlds.map((x) => h("tr", { key: x.id, class: x.id === app.head?.id ? "sel" : "" },
        h("td", null, h("a", { href: app.link("frame", { w: x.id }) }, x.name), h("small", null, " #" + x.id)), h("td", { class: "n" }, x.frame ? num(x.frame) : "–"), h("td", { class: "n" + (x.still > 2e6 ? " hot" : "") }, x.frame ? time(x.still) : "–"), h("td", null, x.paused ? "paused" : ""))))))),
      loop && card("Loop", null, !loop.loop ? empty("No loop ticks this world: the program calls its Update.", "To see phases here, let app.Run tick the world.") : h("ol", { class: "phases" }, loop.phases.map((p) => h("li", { style: { "margin-left": 18 * p.depth + "px" } }, h("b", null, p.name), p.steps.map((s) => h("span", { class: "chip " + (s.kind === "group" ? "w" : s.kind === "time" ? "r" : "") }, s.kind === "function" ? "the application" : s.kind === "time" ? "time of " + s.world : s.group + " of " + s.world)))))),
    ];
  },
};
