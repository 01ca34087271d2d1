// The page of the gallery. The simulations run in worker.js; this file has the controls and starts the drawing.
import { painter } from "./paint.js";

const $ = (id) => document.getElementById(id);
const canvas = $("canvas");
const paint = painter(canvas);

// A Partner is a worker and the promises of its answers.
class Partner {
  constructor(module, progress) {
    this.waiting = new Map();
    this.last = 0;
    this.worker = new Worker("worker.js");
    this.worker.onmessage = ({ data }) => {
      if (data.id === undefined) return progress(data);
      const promise = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      data.error === undefined ? promise?.yes(data.result) : promise?.no(new Error(data.error));
    };
    this.worker.onerror = ({ message = "worker.js is not there" }) => {
      this.broken = new Error(message); // else the page would wait for answers that never come
      fail(message);
      for (const { no } of this.waiting.values()) no(this.broken);
      this.waiting.clear();
    };
    this.ready = this.ask("start", { module });
  }
  ask(task, more = {}, transfer = []) {
    return new Promise((yes, no) => {
      if (this.broken) return no(this.broken);
      this.waiting.set(++this.last, { yes, no });
      this.worker.postMessage({ task, id: this.last, ...more }, transfer);
    });
  }
}

let show, judge; // the partners for the picture and for the check
let about; // what the program says about its exhibits
let exhibit, values; // of the current exhibit
let playing = true;
let opening = 0; // counts the runs that were asked for
let asked = 0; // runs that were asked for, and neither opened nor refused yet
let opened; // the last run that was opened since asked was 0
let refused = ""; // why the run that was asked for last was not opened
let busy = false; // a frame is being computed
let steps = 0; // ticks that were asked for with Step
let buffer = new ArrayBuffer(1 << 20);
let picture; // the last frame that is not drawn yet
const verdicts = new Map(); // by the name of the exhibit

function fail(message) {
  $("message").textContent = message;
  $("message").hidden = !message;
}

const number = (v, digits = 0) => v.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

// compiled fetches a program. The file is compressed already, so that any file server will do.
async function compiled(file) {
  const reply = await fetch(file);
  if (!reply.ok) throw new Error(`${file}: ${reply.status} ${reply.statusText}`);
  // A server may say that the file is compressed: then the browser has expanded it.
  const [head, all] = reply.body.tee();
  const reader = head.getReader();
  const { value } = await reader.read();
  reader.cancel();
  const body = value[0] === 0x1f ? all.pipeThrough(new DecompressionStream("gzip")) : all;
  return WebAssembly.compileStreaming(new Response(body, { headers: { "Content-Type": "application/wasm" } }));
}

// open starts the run of a link. A link with a tick is replayed up to it.
const open = (link) => begin(() => show.ask("open", { link }), (tick) => tick === 0);

// settled reports whether there is a run. While another one is asked for, nothing may advance the worker.
const settled = () => exhibit && asked === 0;

// begin asks for another run. If more runs were asked for, begin waits for them too, and shows the last one that the worker could open. The worker
// continues a replay after a link that it refuses. The function runs says whether the run is not paused at its tick.
async function begin(ask, runs) {
  const mine = ++opening;
  asked++;
  picture = undefined;
  steps = 0;
  fail((refused = ""));
  $("said").textContent = "\u00a0";
  try {
    const run = await ask();
    if (run.complete) opened = { ...run, runs };
  } catch (err) {
    if (mine === opening) fail((refused = err.message));
  }
  if (--asked > 0) return;
  if (opened) {
    const { name, tick, runs } = opened;
    opened = undefined;
    $("tick").textContent = number(tick); // not the tick of the run before
    present(name);
    play(runs(tick));
  }
  fail(refused); // a replay has shown its progress
  if (!settled()) return;
  frame(0);
  if (!playing) state();
}

// present shows the texts, the parameters and the check of an exhibit.
function present(name) {
  const first = exhibit?.name !== name;
  exhibit = about.exhibits.find((e) => e.name === name);
  if (!first) return;
  document.title = `${exhibit.title} – Lanewise gallery`;
  $("title").textContent = exhibit.title;
  $("text").textContent = exhibit.text;
  $("path").textContent = exhibit.source;
  $("source").open = false;
  $("bodies").textContent = exhibit.look === "cells" && !exhibit.world ? "cells" : "entities";
  $("save").disabled = $("inspect").disabled = !exhibit.world;
  if (inspects()) mount(exhibit.world); // the addresses in the inspector are those of the exhibit before
  canvas.setAttribute("aria-label", `${exhibit.title}, a moving picture`);
  for (const a of $("tabs").querySelectorAll("a")) {
    const here = a.dataset.name === name;
    here ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current");
  }
  center();
  values = exhibit.params.map((p) => p.value);
  $("params").replaceChildren(...exhibit.params.map(slider));
  rate.reset();
  check();
}

// center scrolls to the tab of the exhibit, where the screen is too narrow for all tabs.
function center() {
  const tabs = $("tabs");
  const a = tabs.querySelector("[aria-current]");
  if (a) tabs.scrollLeft = a.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - a.offsetWidth) / 2;
}
addEventListener("resize", () => {
  center();
  if (!playing) frame(0); // the picture has another aspect
});

function slider(p, i) {
  const label = document.createElement("label");
  const input = Object.assign(document.createElement("input"), { type: "range", min: p.min, max: p.max, step: p.step, value: p.value });
  const output = document.createElement("output");
  label.append(p.label, output, input);
  input.setAttribute("aria-label", p.label);
  const digits = (String(p.step).split(".")[1] ?? "").length;
  label.show = () => {
    output.textContent = number(Number(input.value), digits);
  };
  label.show();
  const { name } = exhibit;
  let timer;
  const chosen = async () => {
    label.moved = false;
    if (!settled() || exhibit.name !== name) return;
    values[i] = Number(input.value);
    if (!p.live) return restart();
    await show.ask("set", { param: i, value: values[i] });
    if (!playing) state();
  };
  input.oninput = () => {
    label.moved = true; // until then a frame must not set it back
    label.show();
    clearTimeout(timer);
    timer = setTimeout(chosen, p.live ? 60 : 200);
  };
  return label;
}

// restart starts another run with the current parameters.
function restart() {
  open(`${exhibit.name}?${exhibit.params.map((p, i) => `${p.name}=${values[i]}`).join("&")}`);
}

function play(on) {
  playing = on;
  $("pause").textContent = on ? "Pause" : "Play";
  if (!on) $("rate").textContent = "–";
  rate.reset();
}

// frame asks for some ticks and a picture.
async function frame(ticks) {
  if (busy || !settled()) return;
  busy = true;
  picture = undefined; // the worker gets its memory, even if it is not drawn yet
  const mine = opening;
  try {
    const aspect = canvas.clientWidth / canvas.clientHeight;
    const f = await show.ask("frame", { ticks, budget: 22, aspect, buffer }, [buffer]);
    buffer = f.buffer;
    if (mine === opening) picture = f;
  } catch (err) {
    buffer = new ArrayBuffer(1 << 20);
    if (mine === opening) {
      play(false);
      fail(err.message);
    }
  }
  busy = false;
}

// rate measures frames a second and milliseconds a tick and a frame, and shows them twice a second.
const rate = {
  reset() {
    Object.assign(this, { since: 0, frames: 0, moved: 0, ticks: 0, time: 0, drawing: 0 });
  },
  add(f) {
    const now = performance.now();
    this.since ||= now;
    this.frames++;
    this.ticks += f.done;
    this.time += f.computed;
    if (f.done) {
      this.moved++;
      this.drawing += f.drawn;
    }
    if (now - this.since < 500) return;
    if (playing) $("rate").textContent = number(((this.frames - 1) * 1000) / (now - this.since));
    if (this.ticks) {
      $("cost").textContent = number(this.time / this.ticks, 2);
      $("frame").textContent = number((this.time + this.drawing) / this.moved, 1);
    }
    this.reset();
  },
};

function turn() {
  requestAnimationFrame(turn);
  if (picture) {
    const f = picture;
    picture = undefined;
    paint(exhibit.look, new Uint8Array(f.buffer, 0, f.bytes), f.width, f.height);
    $("tick").textContent = number(f.tick);
    $("entities").textContent = number(f.entities);
    $("note").textContent = f.note || "\u00a0";
    values = f.values;
    $("params").querySelectorAll("label").forEach((label, i) => {
      if (!label.moved) label.querySelector("input").value = values[i];
      label.show();
    });
    document.body.dataset.drawn ??= Math.round(performance.now()); // milliseconds from the start of the page to its first picture
    rate.add(f);
  }
  if (steps > 0 && !busy) {
    steps--;
    frame(1).then(state);
  } else if (playing) frame(exhibit?.perFrame);
}

// state shows the hash of a paused run, and returns its link.
async function state() {
  const { link, hash } = await show.ask("state");
  $("said").textContent = `hash ${hash} at tick ${link.match(/tick=(\d+)/)[1]}`;
  return link;
}

// check computes the first ticks of the exhibit in another worker, and compares the hash.
async function check() {
  const { name, checked, golden } = exhibit;
  if (verdicts.has(name)) return verdict(name);
  verdict(name);
  const { hash } = await judge.ask("check", { name, ticks: checked });
  if (!hash) return;
  verdicts.set(name, { hash, same: hash === golden });
  verdict(exhibit.name);
  const tick = $("tabs").querySelector(`[data-name="${name}"] .tick`);
  tick.textContent = hash === golden ? "✓" : "✗";
  tick.classList.toggle("other", hash !== golden);
}

function verdict(name) {
  const known = verdicts.get(name);
  $("check").dataset.state = known ? (known.same ? "same" : "other") : "waits";
  $("arc").style.strokeDasharray = known ? "100 0" : "0 100";
  $("verdict").textContent = known ? (known.same ? "The same bits in your browser" : "Other bits in your browser") : "Checking the bits…";
  $("evidence").textContent = known
    ? `${known.hash} after ${number(exhibit.checked)} ticks${known.same ? ", as on amd64, arm64 and s390x" : `, and not ${exhibit.golden}`}`
    : `the first ${number(exhibit.checked)} ticks, in the background`;
}

function progress(data) {
  if (data.checked !== undefined && !verdicts.has(exhibit?.name)) $("arc").style.strokeDasharray = `${(100 * data.checked) / data.of} 100`;
  if (data.replayed !== undefined) fail(data.replayed < data.of ? `Replaying: tick ${number(data.replayed)} of ${number(data.of)}` : "");
}

// The inspector is a page in a frame. It sends its requests to the function answer of its element. The worker answers them between two ticks.
const inspects = () => $("inspector").childElementCount > 0;
async function answer(path, { method, body, signal }) {
  const { status, type, data } = await show.ask("inspect", { method, target: `/${path}${body ? `?${body}` : ""}` });
  signal?.throwIfAborted();
  return new Response(data, { status, headers: { "Content-Type": type } });
}

// mount shows the inspector, or hides it.
function mount(on) {
  $("inspect").setAttribute("aria-expanded", on);
  $("inspector").replaceChildren();
  if (on) $("inspector").append(Object.assign(document.createElement("iframe"), { title: "Inspector", src: "inspect/index.html#/entities", answer }));
}

// withInspector loads the program that has the inspector, and moves the current run there. The snapshot of a world continues with the same
// bits, so a long run need not be computed again. withInspector returns false if the visitor has opened an exhibit without a world in the meantime.
let loadingInspector;
async function withInspector() {
  const partner = new Partner(await compiled("inspect.wasm.gz"), progress);
  try {
    await partner.ready;
    let failed;
    const move = async () => {
      try {
        const { file } = await show.ask("save");
        const run = await partner.ask("load", { file });
        if (asked > 1 || opened) return {}; // the visitor has asked for another run, so move that one
        show.worker.terminate();
        show = partner;
        return run;
      } catch (err) {
        failed = err;
        throw err;
      }
    };
    while (show !== partner) {
      while (!settled()) await new Promise((next) => setTimeout(next, 50));
      if (!exhibit.world) return false;
      await begin(move, () => playing);
      if (failed) throw failed;
    }
    return true;
  } finally {
    if (show !== partner) partner.worker.terminate();
  }
}

const actions = {
  async inspect() {
    if (inspects()) return mount(false);
    $("said").textContent = "Loading the inspector…";
    try {
      if (!(await (loadingInspector ??= withInspector()))) loadingInspector = undefined;
      if (!loadingInspector || !exhibit.world) return;
      mount(true);
      $("inspector").scrollIntoView({ block: "nearest" });
    } catch (err) {
      loadingInspector = undefined;
      fail(err.message);
    }
  },
  pause() {
    play(!playing);
    if (!playing) state();
  },
  step() {
    if (playing) play(false);
    steps++;
  },
  restart: () => restart(),
  async share() {
    play(false);
    const link = await state();
    if (Number(link.match(/tick=(\d+)/)[1]) > about.maxTick) {
      $("said").textContent = `A link reaches to tick ${number(about.maxTick)} at most`;
      return;
    }
    history.replaceState(null, "", `#${link}`);
    try {
      await navigator.clipboard.writeText(location.href);
      $("said").textContent = `The link is copied: #${link}`;
    } catch {
      $("said").textContent = location.href; // the browser does not let the page copy
    }
  },
  async save() {
    play(false);
    const { file } = await show.ask("save");
    const a = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([file])), download: `${exhibit.name}.lanewise` });
    a.click();
    URL.revokeObjectURL(a.href);
    $("said").textContent = `${number(file.length / 1e6, 2)} MB saved`;
  },
  load: () => $("file").click(),
  theme() {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
    document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
  },
};
// act does an action. Most of them need a run.
function act(id) {
  if (settled() || id === "load" || id === "theme") actions[id]();
}
for (const id of Object.keys(actions)) $(id).onclick = () => act(id);

$("file").onchange = async ({ target }) => {
  const file = await target.files[0].arrayBuffer();
  await begin(() => show.ask("load", { file }), () => false);
  target.value = "";
};

$("source").ontoggle = async ({ target }) => {
  if (!target.open) return;
  const reply = await fetch(`source/${exhibit.source}.txt`);
  target.querySelector("pre").textContent = reply.ok ? await reply.text() : `${exhibit.source}: ${reply.statusText}`;
};

const keys = { " ": "pause", s: "step", r: "restart", t: "theme" };
addEventListener("keydown", (e) => {
  if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey || (e.key === " " && e.target.closest("button, summary, pre"))) return;
  e.preventDefault();
  act(keys[e.key]);
});

function wanted() {
  const link = location.hash.slice(1);
  try {
    return decodeURIComponent(link) || about.exhibits[0].name;
  } catch {
    return link; // not encoded well: the program says what is wrong
  }
}
addEventListener("hashchange", () => open(wanted()));

async function main() {
  fail("Loading…");
  const module = await compiled("gallery.wasm.gz");
  show = new Partner(module, progress);
  about = await show.ready;
  $("kernels").textContent = about.path === "generic" ? "plain Go" : about.path;
  judge = new Partner(module, progress);
  await judge.ready;
  $("tabs").replaceChildren(
    ...about.exhibits.map((e) => {
      const item = document.createElement("li");
      item.innerHTML = `<a href="#${e.name}" data-name="${e.name}"><span></span><span class="tick" aria-hidden="true"></span></a>`;
      item.querySelector("span").textContent = e.title;
      return item;
    }),
  );
  rate.reset();
  requestAnimationFrame(turn);
  await open(wanted());
}
main().catch((err) => fail(err.message));
