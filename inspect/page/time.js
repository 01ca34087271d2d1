// The bar above the views that shows which kept frame they show. It goes to other frames, finds the first frame in which a condition
// holds, and lets the world continue from a frame.
import { h, num, time, bytes } from "./dom.js";
import { app, act, api, denied, go, halt, past, say } from "./app.js";
import { condition } from "./entities.js";

// shown is the number of the frame that is shown, or 0 for the running world.
const shown = () => +app.get("frame", 0);

// here goes to the same place in another frame; "" is the running world.
function here(frame) {
  const at = Object.fromEntries(app.at);
  delete at.w;
  go(app.view, { ...at, frame }, true);
}

// travel goes some kept frames back or forward, and pauses the world; so does find.
export async function travel(by) {
  const p = app.head?.past;
  if (!p?.kept) return;
  if (!shown() && by > 0) return;
  await halt();
  const from = shown() || p.last + (by < 0 && p.last === app.head.frame ? 0 : p.every);
  const to = from + by * p.every;
  here(to > p.last ? "" : Math.max(to, p.first));
}

// restore lets the world continue from a frame.
async function restore(frame) {
  const r = await act("restore", { frame });
  if (!r) return;
  here("");
  say(`continuing from frame ${num(r.frame)}; ↶ goes back to frame ${num(r.from)}`);
}

async function find(when) {
  try {
    await halt();
    const f = await api("find", { when }, false, null); // the next poll must not abort the search
    if (!f.found) return say("no entity meets this in " + num(f.checked) + " kept frames");
    go("entities", { id: f.id, when, frame: f.frame });
    say("first in frame " + num(f.frame) + ": " + (f.name || "entity " + f.id));
  } catch (e) {
    say(e.message, true);
  }
}

// bar returns the bar, or nothing if the program keeps no frames or the view shows none.
export function bar() {
  const p = app.head.past, at = shown();
  if (!p || !past.has(app.view)) return null;
  if (!p.kept) return h("div", { class: "past", key: "past" }, h("span", { class: "dim" }, p.why ? "No frame is kept: " + p.why + "." : "No frame is kept yet."));
  return h("div", { class: "past" + (at ? " on" : ""), key: "past", role: "group", "aria-label": "Kept frames" },
    h("button", { id: "back", title: "the kept frame before: key ←", disabled: at > 0 && at <= p.first, onclick: () => travel(-1) }, "◀ back"),
    h("input", { type: "range", "aria-label": "Frame", min: p.first, max: p.last, step: p.every, value: at || p.last, oninput: (e) => here(+e.target.value) }),
    h("button", { id: "forward", title: "the next kept frame: key →", disabled: !at, onclick: () => travel(1) }, "forward ▶"),
    h("b", { id: "past" }, at ? "frame " + num(at) : "now"),
    at > 0 && [
      h("button", { id: "now", onclick: () => here("") }, "now"),
      h("button", { id: "restore", disabled: !!denied("edit"), title: denied("edit") || "the world continues from this frame", onclick: () => restore(at) }, "continue from here"),
    ],
    h("form", { class: "find", role: "search", onsubmit: (e) => (e.preventDefault(), find(e.target.when.value.trim())) },
      condition(app.get("when"), "moments", "Condition for one entity"), h("button", null, "first frame")),
    h("span", { class: "dim" }, `${num(p.kept)} frames kept, ${bytes(p.bytes)} of ${bytes(p.limit)}, ${time(p.took)} each`));
}
