// This module catches the write of a NaN or an infinity: the world stops at the end of the frame in which a system writes one. Every view shows this.
import { h, num, plural } from "./dom.js";
import { app, act, api, denied, go, halt, link, say, systems } from "./app.js";

const entity = (id, name, frame = "") => h("a", { href: link("entities", { id, frame }) }, name || id);

async function set(on) {
  if (await act("control", { do: "catch", value: on })) app.head.catching = on;
}
// button sets the catch, or ends it.
export function button() {
  const on = app.head?.catching, locked = denied("control");
  return h("button", { class: "catch", disabled: !!locked, "aria-pressed": String(!!on), title: locked, onclick: () => set(!on) }, on ? "do not stop at a NaN" : "stop at the first NaN");
}

// banner tells in every view that a NaN is to be caught, or was caught and has stopped the world.
export function banner() {
  const c = app.head?.caught;
  if (app.head?.catching)
    return h("div", { class: "banner", key: "catching" }, "The world stops at the end of the frame in which a system writes a new NaN or infinity. Until then it is slower, because its systems run one after the other. Its results stay the same. ", already(app.head.already || []), h("button", { disabled: !!denied("control"), onclick: () => set(false) }, "do not stop"));
  if (!c || !app.head.paused || app.head.frame !== c.frame) return null;
  return h("div", { class: "banner bad wrong caught", key: "caught", role: "alert" }, wrote(c), ". The world has stopped after this frame. ", app.view === "entities" && app.get("id") === c.entity && !app.get("frame") ? "" : h("a", { href: link("entities", { id: c.entity, frame: "" }) }, "show the entity"));
}
// already names the numbers that are not new, because they were NaN or infinite when the catch was set.
const already = (list) => list.length > 0 && h("p", { class: "already" }, "These numbers were NaN or infinite before, so they do not stop the world: ", list.slice(0, 5).map((a, k) => [k ? ", " : "", `${a.value} in ${a.number} of `, entity(a.entity), " ",
  app.head.past?.kept > 0 && h("button", { onclick: () => toFirst(a.number, a.value, a.entity) }, "the first frame with it")]), list.length > 5 && ` and ${num(list.length - 5)} more numbers`, ".");
// wrote says which system wrote a NaN.
export const wrote = (c) => [c.system ? systems([c.system]) : "No system", ` wrote ${c.value} to ${c.number} of `, entity(c.entity), " in frame " + (c.again ? `${num(c.frame)} (frame ${num(c.again)} again)` : num(c.frame))];

// firstFrame shows the first kept frame in which a number of an entity is a NaN or an infinity. It returns the answer, or null.
async function firstFrame(number, odd, id) {
  await halt();
  const f = await api("find", { q: ":all", when: `${number} == ${odd}`, id }, false, null); // the next poll must not abort the search
  if (!f.found) return void say(`in no kept frame, ${number} of ${id} is ${odd}`, true);
  return f;
}
// toFirst shows an entity in the first kept frame in which a number of it is odd.
export async function toFirst(number, odd, id) {
  try {
    const f = await firstFrame(number, odd, id);
    if (f) go("entities", { id, frame: f.frame });
  } catch (e) {
    say(e.message, true);
  }
}
// again lets the world continue from the kept frame before that one, and stops it where a system writes the number again.
async function again(number, odd, id) {
  const f = await firstFrame(number, odd, id);
  if (!f) return;
  if (!f.before) return say(`the oldest kept frame, ${num(f.frame)}, has the ${odd} already: give inspect.History more memory`, true);
  if (!(await act("restore", { frame: f.before })) || !(await act("control", { do: "catch", value: true }))) return;
  go("entities", { id, frame: "" }, true);
  await act("control", { do: "resume", value: "" }, `continuing from frame ${num(f.before)}, until a system writes the ${odd}`);
}

// odd describes a number of a component that is a NaN or an infinity, and tells how many others are: who writes it, where it began, and how to stop at its write.
export function odd(number, value, id, writers, others) {
  const kept = app.head.past?.kept, why = denied("control", "edit") || (kept ? "" : "the program keeps no frames: see inspect.History");
  return h("div", { class: "wrong odd", key: number }, `${value} in ${number}${others ? ` and ${plural(others, "other number")} of it` : ""}, `, writers.length ? ["written by ", systems(writers)] : "which no system that matches the entity declares to write", ". ",
    kept > 0 && h("button", { onclick: () => toFirst(number, value, id) }, "the first frame with it"), " ",
    h("button", { class: "again", disabled: !!why, title: why, onclick: () => again(number, value, id).catch((e) => say(e.message, true)) }, "catch: continue from the frame before"));
}
