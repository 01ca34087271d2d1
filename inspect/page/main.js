// The page around the views: it chooses the view, polls the program, and draws the head of the page. It also handles keys.
import { h, lay, time, num, median, colour, fade, hint } from "./dom.js";
import { app, attach, denied, link, go, past, api, act, say, halt, repeats, hurry, pause, asleep, show, startPoll } from "./app.js";
import frame from "./frame.js";
import order from "./order.js";
import archetypes from "./archetypes.js";
import entities from "./entities.js";
import picture from "./picture.js";
import watches from "./watches.js";
import changes from "./changes.js";
import memory from "./memory.js";
import worlds from "./worlds.js";
import { bar, travel } from "./time.js";
import { banner } from "./catch.js";

const views = { frame, order, archetypes, entities, picture, watches, changes, memory, worlds };
const names = Object.keys(views);

// A URL is #token/view?world, followed by the parameters of the view. Browsers do not send it to logs and other sites.
function locate() {
  const [place, query] = location.hash.slice(1).split("?");
  const [token, view] = place.split("/");
  app.token = decodeURIComponent(token || "");
  app.view = names.includes(view) ? view : "frame";
  app.at = new URLSearchParams(query || "");
  const w = app.at.get("w") || "";
  if (w !== app.world) app.head = null;
  app.world = w;
}
function moved() {
  const before = app.view, frame = app.get("frame");
  locate();
  app.wrong = null;
  if (before !== app.view) {
    views[before].leave?.();
    hint();
    scrollTo(0, 0);
  }
  show();
  hurry();
  if (app.get("frame") && !frame) halt();
}

// The poll: the head and the view send their requests in turn, unless the page is hidden.
async function round() {
  const v = views[app.view];
  startPoll();
  try {
    if (!app.worlds || ++app.turn % 8 === 0) app.worlds = await api("worlds");
    if (!app.types.length || app.turn % 64 === 0) app.types = await api("types");
    if (app.view === "frame" || !app.head || Date.now() - app.asked > 900) {
      app.asked = Date.now();
      const f = await api("frame", { since: app.head ? app.head.frame : 0 });
      if (!app.held || !app.head || app.head.id !== f.id) note(f);
    }
    app.trouble = null;
    if (v.poll) {
      try {
        await v.poll();
        app.wrong = null;
      } catch (e) {
        if (e.name === "AbortError" || !(e.status >= 400 && e.status < 500 && e.status !== 403)) throw e;
        app.wrong = e.message;
      }
    }
  } catch (e) {
    if (e.name !== "AbortError") app.trouble = { status: e.status || 0, text: e.status ? e.message : "The program does not answer. It has ended, or it is stopped. Asking again …" };
  }
  show();
}
async function rounds() {
  for (;;) {
    if (document.hidden) await asleep();
    else {
      await round();
      await pause(app.trouble ? 1000 : views[app.view].pace || 300);
    }
  }
}

// note stores a frame, with the lengths of the frames before it.
function note(f) {
  const old = app.head && app.head.id === f.id && app.head.frame <= f.frame ? app.head : null;
  const all = old ? old.all.slice() : [];
  let next = old ? old.next : f.first;
  f.lengths.forEach((d, k) => {
    if (f.first + k >= next) all.push(d), (next = f.first + k + 1);
  });
  f.all = all.slice(-240);
  f.next = next;
  app.head = f;
  if (!f.paused) app.halted = "";
}

// Drawing.
let shownTab = "";
function draw() {
  lay(document.getElementById("head"), header());
  lay(document.getElementById("nav"), names.map((n, k) =>
    h("a", { href: link(n), key: n, "aria-current": n === app.view ? "page" : null, title: "key " + (k + 1) },
      h("b", null, views[n].name), h("small", null, views[n].about))));
  if (shownTab !== app.view) { // on a narrow screen the tabs are in one line, which scrolls
    shownTab = app.view;
    document.querySelector("#nav [aria-current]").scrollIntoView({ block: "nearest", inline: "center" });
  }
  const main = document.getElementById("view");
  main.className = "view-" + app.view + (app.trouble ? " stale" : "");
  const ready = app.head || app.view === "worlds";
  lay(main, troubles(), app.head && bar(), ready ? h("div", { key: app.view, class: "body" }, views[app.view].draw()) : !app.trouble && h("p", { class: "empty" }, "Waiting for a frame …"));
  document.title = views[app.view].name + (app.head ? " · " + app.head.world : "") + " · lanewise";
}
function troubles() {
  const t = app.trouble, f = app.head, list = [];
  if (t?.status === 403) list.push(h("div", { class: "banner bad", role: "alert" }, h("b", null, "This address lacks the token. "), "Open the one that the program has printed: it ends in # and a secret. "));
  else if (t) list.push(h("div", { class: "banner bad", role: "alert" }, t.text, f && h("span", { class: "dim" }, " What you see is of frame " + num(f.frame) + ".")));
  list.push(banner());
  if (f?.paused && app.halted === f.id && f.caught?.frame !== f.frame) list.push(h("div", { class: "banner", key: "halted", role: "status" }, "This page has paused the world, because its values could soon be gone. ", h("button", { disabled: !!denied("control"), onclick: () => control("resume") }, "resume")));
  if (f?.failure) list.push(h("details", { class: "banner warn" }, h("summary", null, "Frame " + num(f.failureFrame) + " failed: " + f.failure.split("\n")[0]), h("pre", null, f.failure)));
  if (app.said) list.push(h("div", { class: "said" + (app.said.bad ? " bad" : ""), role: "status" }, app.said.text));
  return h("div", { class: "troubles", key: "troubles" }, list);
}
const paces = [[0, "full speed"], [60, "60 a second"], [10, "10 a second"], [2, "2 a second"]];
function header() {
  const f = app.head, w = app.worlds, locked = denied("control");
  return [
    h("a", { class: "brand", href: link("frame"), "aria-label": "lanewise, frame view" },
      h("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, h("path", { d: "M2 4h12M2 8h8M2 12h12" }), h("path", { class: "lit", d: "M13 8h1" })), h("span", null, "lanewise")),
    w && w.worlds.length > 1
      ? h("select", { "aria-label": "World", value: f?.id || app.world, onchange: (e) => go(app.view, { w: e.target.value }) }, w.worlds.map((x) => h("option", { value: x.id, selected: x.id === f?.id }, x.name + (w.worlds.some((o) => o !== x && o.name === x.name) ? " #" + x.id : ""))))
      : h("span", { class: "world" }, f?.world || ""),
    f && [
      h("span", { class: "stat" }, h("small", null, "frame"), h("b", { id: "number" }, num(f.frame)), repeats(f.frame) > 0 && h("small", { id: "repeats", title: `The world continued from frame ${num(f.continued.frame)} after frame ${num(f.continued.at)}. Numbers of frames do not go back.` }, `= ${num(repeats(f.frame))} again`)),
      h("span", { class: "stat" }, h("small", null, "took"), h("b", null, time(f.all.at(-1) ?? f.length))),
      h("span", { class: "stat" }, h("small", null, "entities"), h("b", null, num(f.entities))),
      h("span", { class: "stat", title: "a frame that took more than twice the median is red" }, h("small", null, "last frames"), h("canvas", { class: "lengths", role: "img", "aria-label": "lengths of the last frames", draw: bars(f.all) })),
      h("span", { class: "stat cost", title: "by how much the inspector held up the last frame in which it had work: 99 % of such frames by at most " + time(f.cost.p99) + ", all by at most " + time(f.cost.max) }, h("small", null, "inspector"), h("b", null, time(f.cost.last))),
    ],
    h("span", { class: "gap" }),
    f && w?.edit && [
      h("button", { id: "undo", class: "icon", disabled: !f.undo, "aria-label": "Undo", title: f.undo ? "undo " + f.undo + ": Ctrl+Z" : "no edit to undo", onclick: () => revert("undo") }, "↶"),
      h("button", { id: "redo", class: "icon", disabled: !f.redo, "aria-label": "Redo", title: f.redo ? "again " + f.redo + ": Ctrl+Shift+Z" : "no edit to make again", onclick: () => revert("redo") }, "↷"),
    ],
    f && [
      f.scale !== 1 && h("span", { class: "stat" }, h("small", null, "time ×"), h("b", null, f.scale)),
      h("button", { id: "pause", class: f.paused ? "on" : "", disabled: !!locked, title: locked || "space", onclick: () => control(f.paused ? "resume" : "pause") }, f.paused ? "resume" : "pause"),
      h("button", { id: "step", disabled: !!locked, title: locked || "one frame: key .", onclick: () => control("step", 1) }, "step"),
      h("select", { "aria-label": "Speed", disabled: !!locked, title: locked, onchange: (e) => control("pace", e.target.value) }, paces.map(([hz, label]) => h("option", { value: hz, selected: Math.round(f.pace) === hz }, label))),
    ],
    h("button", { class: "icon", "aria-label": "Light or dark", title: "light or dark: key t", onclick: theme }, "◐"),
    h("button", { class: "icon", "aria-label": "Keys", title: "keys: ?", onclick: help }, "?"),
  ];
}
// revert undoes the last edit, or makes it again.
async function revert(what) {
  const r = await act(what, {});
  if (r) say((what === "undo" ? "undone: " : "made again: ") + r.what);
}
const control = (what, value = "") => act("control", { do: what, value });
const bars = (list) => (g, w, height) => {
  if (!list.length) (g.fillStyle = colour("dim")), g.fillText("measuring …", 2, height / 2);
  const top = Math.min(Math.max(...list, 1), 4 * (median(list) || 1)), n = Math.floor(w / 2);
  list.slice(-n).forEach((d, k, all) => {
    const y = Math.min(d / top, 1) * (height - 1);
    g.fillStyle = d > 2 * (median(list) || d) ? colour("bad") : colour("accent");
    g.fillRect(w - 2 * (all.length - k), height - y, 1.4, y);
  });
};

// Light and dark, keys.
// The page has the colours of the system's setting. A person may choose the others; a second choice follows the system again.
const preferred = matchMedia("(prefers-color-scheme: dark)");
let other = false;
try { other = localStorage.getItem("lanewise.theme") === "other"; } catch { /* nothing is kept */ }
function dress() {
  document.documentElement.dataset.theme = preferred.matches !== other ? "dark" : "light";
  fade();
  show();
}
function theme() {
  other = !other;
  try { other ? localStorage.setItem("lanewise.theme", "other") : localStorage.removeItem("lanewise.theme"); } catch { /* it is forgotten */ }
  dress();
}
dress();
preferred.addEventListener("change", dress);

const keys = [["1 … 9", "the views, from the top"], ["/", "the query"], ["space", "pause, go on"], [".", "one frame"], ["h", "hold what is shown of the frame"], ["← →", "the kept frame before, the next one"], ["[ ]", "the world before, the next one"], ["Ctrl Z", "undo an edit; with Shift, make it again"], ["t", "light or dark"], ["Tab", "the next button, link or picture; Enter presses or opens it"], ["← ↑ → ↓", "on a picture: move the pointer, with Shift faster; Enter opens what is below it"], ["+ −", "on the timeline: look closer, or less close"], ["Esc", "in a field: the value before; close this list"], ["?", "this list"]];
function help() {
  const d = document.getElementById("help");
  lay(d, h("h2", null, "Keys"), h("dl", null, keys.map(([k, what]) => [h("dt", null, h("kbd", null, k)), h("dd", null, what)])),
    h("p", { class: "dim" }, "Every view has an address of its own: copy it to send what you see. It bears the token."),
    h("button", { onclick: () => d.close() }, "close"));
  d.open ? d.close() : d.showModal();
}
addEventListener("keydown", (e) => {
  if (e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
  if (e.ctrlKey || e.metaKey) {
    if (e.key.toLowerCase() !== "z") return;
    document.getElementById(e.shiftKey ? "redo" : "undo")?.click();
    return e.preventDefault();
  }
  const k = e.key, at = names[+k - 1];
  if (at) go(at);
  else if (k === "/") document.querySelector("[data-query]") ? document.querySelector("[data-query]").focus() : go("entities");
  else if (k === " " && e.target.tagName !== "BUTTON" && e.target.tagName !== "A" && e.target.tagName !== "SUMMARY") document.getElementById("pause")?.click();
  else if (k === ".") document.getElementById("step")?.click();
  else if ((k === "ArrowLeft" || k === "ArrowRight") && app.head?.past && past.has(app.view)) travel(k === "ArrowLeft" ? -1 : 1);
  else if (k === "h") app.hold();
  else if (k === "t") theme();
  else if (k === "?") help();
  else if ((k === "[" || k === "]") && app.worlds) {
    const all = app.worlds.worlds, i = all.findIndex((x) => x.id === app.head?.id);
    if (all.length > 1) go(app.view, { w: all[(i + (k === "]" ? 1 : all.length - 1)) % all.length].id });
  } else return;
  e.preventDefault();
});
document.getElementById("skip").addEventListener("click", (e) => {
  e.preventDefault();
  document.getElementById("view").focus();
});
addEventListener("hashchange", moved);
addEventListener("resize", show);
document.addEventListener("visibilitychange", () => !document.hidden && hurry());
attach({ draw, moved });
locate();
show();
rounds();
