// This module holds the state that the views share, and their common functions: they request data from the program, open an address, and show a
// message. main.js draws the page and imports the views. The views import this module, so that the imports form no cycle.
import { h, num, soft } from "./dom.js";

export const app = {
  token: "", view: "frame", at: new URLSearchParams(), world: "",
  head: null, worlds: null, types: [], trouble: null, wrong: null, said: null, held: false, halted: "", turn: 0, asked: 0,
  api, act, go, link, show, say, hold, get: (name, other = "") => app.at.get(name) ?? other,
};

// main.js attaches the functions that draw the page and that read its address.
let page = null;
export const attach = (p) => (page = p);

// past lists the views, and the paths of requests, that can show a kept frame. The number of the frame is in the address, so
// that all links between these views stay in that frame.
export const past = new Set(["archetypes", "entities", "entity", "children", "picture", "memory"]);

export function link(view, at = {}) {
  const p = new URLSearchParams();
  if (app.world) p.set("w", app.world);
  if (app.get("frame") && past.has(view) && !("frame" in at)) p.set("frame", app.get("frame"));
  for (const k in at) if (at[k] !== "" && at[k] != null) p.set(k, at[k]);
  const q = p.toString();
  return "#" + encodeURIComponent(app.token) + "/" + view + (q ? "?" + q : "");
}
// systems returns links to systems, with commas between them.
export const systems = (names) => names.map((s, k) => [k > 0 && ", ", h("a", { href: link("frame", { system: s }) }, soft(s))]);
export function go(view, at = {}, quietly) {
  const to = link(view, at);
  if (to === location.hash) return;
  if (!quietly) return void (location.hash = to);
  history.replaceState(null, "", to);
  page.moved();
}

// Only one request runs at a time. A request by the user has priority over requests by the poll.
let line = Promise.resolve(), poll = null;
export const startPoll = () => (poll = new AbortController());
// If the element of the frame that contains this page has a function answer, it answers the requests in place of a server.
const send = window.frameElement?.answer ?? ((to, how) => window.fetch(to, how));
async function fetchOne(path, at, post, signal) {
  const p = new URLSearchParams(at);
  if (app.world) p.set("w", app.world);
  if (app.get("frame") && past.has(path)) p.set("frame", app.get("frame"));
  const r = await send("api/" + path + (post ? "" : "?" + p), {
    method: post ? "POST" : "GET", body: post ? p : undefined, signal, cache: "no-store",
    headers: { "X-Lanewise-Token": app.token },
  });
  if (!r.ok) throw Object.assign(new Error((await r.text()).trim()), { status: r.status });
  return (r.headers.get("Content-Type") || "").startsWith("application/json") ? r.json() : r.blob();
}
export function api(path, at, post, signal = post ? null : poll?.signal) {
  const mine = line.then(() => fetchOne(path, at, post, signal));
  line = mine.catch(() => {});
  return mine;
}

// act posts a request. If the request fails, act shows the error. Then act polls at once to show the outcome.
export async function act(path, at, label) {
  poll?.abort();
  try {
    const r = await api(path, at, true);
    app.asked = 0; // so that the head of the page shows the outcome too
    if (label) say(label);
    hurry();
    return r;
  } catch (e) {
    say(e.message, true);
  }
}
export function say(text, bad) {
  clearTimeout(app.said?.timer);
  app.said = { text, bad, timer: setTimeout(() => { app.said = null; show(); }, bad ? 8000 : 2500) };
  show();
}

// hurry ends the wait before the next poll. pause waits for a time or for hurry, and asleep waits for hurry.
let wake = null;
export const hurry = () => {
  poll?.abort();
  wake?.();
};
export const asleep = () => new Promise((done) => (wake = done));
export const pause = (ms) => new Promise((done) => {
  const t = setTimeout(done, ms);
  wake = () => { clearTimeout(t); done(); };
});

// show draws the page at the browser's next animation frame.
let asked = false;
export function show() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    page.draw();
  });
}

// denied says which permissions the program has to give before the page may send a request; "" if it has given them.
export function denied(...kinds) {
  const names = { control: "inspect.Control", edit: "inspect.Edit" };
  return kinds.every((k) => app.worlds?.[k]) ? "" : `the program does not allow it: inspect.Allow(${kinds.map((k) => names[k]).join("|")})`;
}

// halt pauses the running world if the program allows it, and reports whether it has done so. The page shows a kept frame and a NaN only of a paused world,
// because a running world soon drops the frame or loses the NaN. Until the world continues, the page says that it has paused the world.
export async function halt() {
  if (!app.head || app.head.paused || !app.worlds?.control || !(await act("control", { do: "pause", value: "" }))) return false;
  app.halted = app.head.id;
  return (app.head.paused = true);
}

// frameName returns the number of a frame. Numbers do not go back when the world continues from a kept frame, so it adds the number that the frame had before.
export const repeats = (n) => {
  const c = app.head?.continued, at = c && n > c.at ? n - c.at + c.frame : 0;
  return at <= c?.at ? at : 0; // later frames have not run before
};
export const frameName = (n) => num(n) + (repeats(n) ? ` (frame ${num(repeats(n))} again)` : "");
function hold() {
  app.held = !app.held;
  say(app.held ? "frame " + num(app.head?.shown || 0) + " is held" : "following");
}
