// The view of entities: the entities that match a query, their values, and all data of one entity.
import { h, num, brief, named, bare, soft, swatch, card, empty, plural, scroll } from "./dom.js";
import { app, frameName, halt, hurry, systems } from "./app.js";
import * as nan from "./catch.js";

let data = null, asked = "", one = null;
const step = 60;

// The tree: the entities whose children are shown, and the answers about them. No more than maxOpen are open, because each of them is a
// request in every poll.
const opened = new Map(), maxOpen = 20;
async function pollChildren() {
  for (const id of [...opened.keys()]) {
    try {
      opened.set(id, await app.api("children", { id, limit: step }));
    } catch (e) {
      if (e.status !== 404) throw e;
      opened.delete(id); // it was destroyed
    }
  }
}
function toggle(id) {
  if (!opened.delete(id)) opened.set(id, null);
  if (opened.size > maxOpen) opened.delete(opened.keys().next().value);
  hurry();
  app.show();
}

export default {
  name: "Entities", about: "which match, what are their values", pace: 500,
  async poll() {
    const id = app.get("id");
    if (id) await pollOne(id);
    else {
      const q = app.get("q"), when = app.get("when");
      data = await app.api("entities", { q: rootsOf(q), when, skip: app.get("skip", 0), from: app.get("from", 0), limit: step });
      asked = request();
      if (app.get("tree")) await pollChildren();
    }
  },
  draw: () => (app.get("id") ? entity() : list()),
};

// pollOne asks about an entity. If it does not exist, gone says where it was destroyed, or why that is not known. If the address has only an index, past tells
// which entities had the index before.
let gone = null, holders = null;
async function pollOne(id) {
  const place = id + " " + app.get("frame");
  if (gone?.asked === place && app.get("frame")) return; // a kept frame does not change
  try {
    one = await app.api("entity", { id });
    if (one.id !== id) app.go("entities", { ...listAt(), id: one.id, index: 1 }, true);
    gone = null;
    if (app.get("index")) await pollHolders(one.id);
    return;
  } catch (e) {
    if (e.status !== 404) throw e;
  }
  if (gone?.asked === place) return;
  const found = await history(id);
  if (found.id && !found.frame && found.id !== id) return void app.go("entities", { id: found.id }, true);
  gone = { asked: place, ...found };
}
// history asks the kept frames about an entity, or about all entities with an index.
const history = (id) => app.api("gone", { id }).catch((e) => {
  if (e.name === "AbortError") throw e;
  return { why: e.message };
});
async function pollHolders(id) {
  if (holders?.asked === id) return;
  const d = await history(id.split(":")[0]);
  holders = { asked: id, why: d.why, list: d.id ? [d, ...d.earlier].filter((x) => x.id !== id) : [] };
}

const anchor = (text, to) => h("a", { href: to }, text);
const needs = (why) => h("p", null, why.replace(/^inspect: /, "") + ". To find the system that destroys an entity, start the program with inspect.History. The view ", anchor("Changes", app.link("changes")), " lists all systems that destroy entities.");
// ended tells until when an entity existed, and the systems that may have destroyed it.
function ended(x) {
  const last = anchor("frame " + frameName(x.last), app.link("entities", { id: x.id, frame: x.last })), between = x.frame === x.last + 1 ? "frame " + frameName(x.frame) : "the frames up to " + num(x.frame);
  const by = x.changes.length > 0 && h("ul", { class: "plain enders" }, x.changes.map((c) => h("li", null, c.system === "inspector" ? "a client of the inspector" : c.system ? systems([c.system]) : "code between systems", ` by ${c.op}${c.fewer ? `: ${plural(c.fewer, "entity", "entities")}` : ""}`)));
  if (!x.frame) return [h("p", null, named(x.id, x.name) + " is in the last kept frame, ", last, by ? ". After it, these destroyed entities:" : "."), by];
  return [h("p", null, named(x.id, x.name), x.first < x.last ? ` was there from frame ${num(x.first)} to ` : " was there in ", last, ". ", by ? `In ${between}, these systems destroyed entities:` : `The journal has no change of ${between} any more.`), by];
}
function end() {
  const g = gone;
  return [card(g.first > app.get("frame", Infinity) ? "It was created later" : "Who destroyed it?", null, g.why ? needs(g.why) : ended(g)), g.earlier?.length > 0 && card("Earlier entities with the index " + g.id.split(":")[0], null, g.earlier.map(ended))];
}
// before tells who had the index of an entity before.
function before(e) {
  const [index, version] = e.id.split(":"), own = holders?.asked === e.id ? holders : null;
  if (version === "1") return null;
  return h("details", { class: "card holders", key: "holders", open: !!app.get("index"), ontoggle: (ev) => ev.target.open && pollHolders(e.id).then(app.show, () => {}) },
    h("summary", null, `Other entities had the index ${index} before ${e.id}: who destroyed them?`),
    own && (own.why ? needs(own.why) : own.list.length ? own.list.map(ended) : h("p", null, "The kept frames have none of them.")));
}

// rootsOf returns the query for the roots of the tree: without a Parent of package transform, unless the query says something about it. The
// full name is used, because the program may have a component Parent too.
const parentType = "github.com/lanewise/lanewise/ecs/transform.Parent";
const rootsOf = (q) => (app.get("tree") && !/(^|[\s,!~+/]|\btransform\.)Parent(?![\w.])/.test(q) ? q + " !" + parentType : q).trim();
const listAt = () => ({ q: app.get("q"), when: app.get("when"), tree: app.get("tree") });
const request = () => Object.values(listAt()).join("\n");

// query returns an input for the text of a query, which completes the last word. More inputs may follow it.
export function query(q, to, ...more) {
  return h("form", { class: "query", role: "search", onsubmit: (e) => (e.preventDefault(), to(e.target.q.value.trim(), e.target)) },
    input("q", q, "words", "Query: names of components", "Translation !Parent", () => app.types.map((t) => [t.name, t.kinds.join(", ")]), { "data-query": "" }),
    more, h("button", null, "show"));
}
// condition returns an input for a condition on the values of an entity, which completes the name of a number.
export const condition = (when, words, label) => input("when", when, words, label, 'Health.Points < 10 && Team.Label == "red"', () => app.types.flatMap((t) => (t.kinds.includes("shared") ? t.fields.map((f) => [t.name + "." + f, "shared"]) : t.lanes.map((l) => [l, ""]))));

// input returns an input whose last word is completed with one of the names.
function input(name, value, words, label, placeholder, names, props) {
  const fill = (n) => complete(n, document.getElementById(words), names());
  return [h("input", { name, value, draft: true, placeholder, "aria-label": label, title: label, autocomplete: "off", spellcheck: "false", list: words, then: (n) => n.value && fill(n), oninput: (e) => fill(e.target), ...props }), h("datalist", { id: words })];
}
function complete(input, list, names) {
  if (!list) return;
  const cut = input.value.search(/\S*$/), head = input.value.slice(0, cut), last = input.value.slice(cut), sign = /^[!~+]?/.exec(last)[0], word = last.slice(sign.length).toLowerCase();
  const fit = word ? names.filter(([name]) => name.toLowerCase().includes(word)).slice(0, 30) : [];
  list.replaceChildren(...fit.map(([name, label]) => Object.assign(document.createElement("option"), { value: head + sign + name, label })));
}
export const wrong = () => app.wrong && h("p", { class: "wrong", role: "alert" }, app.wrong.replace(/^inspect: /, ""));

// plain returns a value as a text, for the title of a cell that is cut.
const plain = (v) => (Array.isArray(v) ? v.map((f) => (f?.name != null ? f.name + " " + plain(f.value) : plain(f))).join(" ") : v && typeof v === "object" ? v.text ?? "→" + (v.name || v.entity) : String(v));
// text returns the text of a value in a cell.
function text(v) {
  if (Array.isArray(v)) return v.length && v[0]?.name != null ? [swatch(v), v.map((f, k) => [k ? " " : "", h("small", null, f.name), " ", text(f.value)])] : "[" + v.slice(0, 4).map((x) => (typeof x === "number" ? brief(x) : "…")).join(" ") + (v.length > 4 ? " …" : "") + "]";
  return v && typeof v === "object" ? (v.text != null ? h("span", { title: plain(v.number) }, v.text) : to(v)) : brief(v);
}
const to = (r) => (r.null ? h("span", { class: "dim" }, "none") : h("a", { href: app.link("entities", { id: r.entity }), title: r.entity }, "→" + (r.name || r.entity)));

// table returns the table of the entities of an answer. In a tree, the children of an opened entity follow it.
function table(d, at) {
  const rows = [], columns = new Set(d.columns);
  const add = (list, depth) => {
    for (const r of list) {
      rows.push([r, depth]);
      const below = at.tree && depth < 32 && r.children ? opened.get(r.id) : null;
      if (!below) continue;
      below.columns.forEach((c) => columns.add(c));
      add(below.rows, depth + 1);
      if (below.count > below.rows.length) rows.push([null, depth + 1, below.count - below.rows.length]);
    }
  };
  add(d.rows, 0);
  const indent = (depth) => (depth ? { "padding-left": 20 * depth + "px" } : {});
  const toggler = (r) => r.children > 0 && h("button", { class: "bare", "aria-expanded": String(opened.has(r.id)), "aria-label": plural(r.children, "child", "children") + " of " + (r.name || r.id), onclick: () => toggle(r.id) }, opened.has(r.id) ? "▾ " : "▸ ");
  return h("table", { class: "entities" }, h("thead", null, h("tr", null, h("th", null, "entity"), [...columns].map((c) => h("th", { title: c }, soft(bare(c)))))),
    h("tbody", null, rows.map(([r, depth, more]) => (r
      ? h("tr", { key: r.id + " " + depth }, h("th", { scope: "row", style: indent(depth) }, at.tree && toggler(r), h("a", { href: app.link("entities", { ...at, id: r.id }) }, r.name || r.id), r.name && h("small", null, " " + r.id)), [...columns].map((c) => (r.values[c] === undefined ? h("td") : h("td", { class: "v", title: plain(r.values[c]) }, text(r.values[c])))))
      : h("tr", { key: "more " + depth }, h("th", { class: "dim", style: indent(depth) }, `and ${num(more)} more`))))));
}

// findOdd looks for a NaN or an infinity in all numbers of the components that entities have, then in the kept frames. It also looks at prefabs, inactive and
// disabled entities. It pauses the world at the first one, because it may be gone in the next frame. If several numbers are odd, it shows the one that was odd in
// the earliest kept frame; of those in the same frame, the one whose writer runs first. A number without a writer comes before all, because code outside of
// systems has set it.
let hunt = null, found = null; // found: the NaN that was found last
async function showOdd(hits, kept) {
  const order = (await app.api("order", {}, false, null)).systems;
  const written = (component) => order.filter((s) => s.writes.includes(component));
  for (const x of hits) (x.rank = order.findIndex((s) => s.writes.includes(x.component))), (x.when = `${x.number} == ${x.odd}`);
  hits.sort((a, b) => a.rank - b.rank); // a stable sort: matrices, which are computed from other components, stay last
  for (const x of kept ? hits.slice(0, 20) : []) {
    const f = x.found ? x : await app.api("find", { q: ":all", when: x.when }, false, null);
    if (f.found) (x.first = f.frame), (x.old = !f.before), (x.id = f.id), (x.name = f.name);
  }
  const first = hits.reduce((a, b) => ((b.first || Infinity) < (a.first || Infinity) ? b : a));
  const after = hits.filter((x) => x !== first && x.first === first.first && x.component !== first.component);
  found = { ...first, frame: first.first || first.frame, after: [...Map.groupBy(after, (x) => x.component)].slice(0, 5).map(([component, [x]]) => ({ number: x.number, by: written(component).map((s) => [s.name, s.reads.includes(first.component) || s.writes.includes(first.component)]) })) };
  if (first.first) app.go("entities", { id: first.id, q: ":all", when: first.when, frame: first.first });
  else app.go("entities", { q: ":all", when: first.when, skip: first.skip });
}
// foundText tells which NaN was found, and which other components have one since the same frame.
const foundText = () => [`${found.odd} in ${found.number} of `, h("a", { href: app.link("entities", { id: found.id, frame: found.first >= app.head.past?.first ? found.first : "" }) }, found.name || found.id), (!found.first ? " was found in frame " : found.old ? " is there already in the oldest kept frame, " : " is there first in frame ") + frameName(found.frame) + ".",
  found.after.map((x) => [` In the same frame, ${x.number} has one too`, x.by.map(([name, uses]) => [", written by ", systems([name]), uses && `, which uses ${found.component}`]), "."])];
async function findOdd() {
  const q = ":all", ask = (path, at) => app.api(path, at, false, null);
  try {
    hunt = 0;
    const used = new Set();
    for (let from = 0, more = true; more; ) {
      const a = await ask("archetypes", { from, limit: 100 });
      for (const own of a.archetypes) own.components.forEach((c) => used.add(c));
      from += a.archetypes.length;
      more = from < a.used && a.archetypes.length > 0;
    }
    const numbers = app.types.filter((t) => used.has(t.name)).sort((a, b) => a.lanes.length - b.lanes.length).flatMap((t) => t.floats.map((n) => [n, t.name])), kept = app.head.past?.kept;
    let paused = false;
    for (const past of kept ? [false, true] : [false]) {
      const hits = [];
      if (past) paused = await halt();
      for (const [number, component] of numbers) {
        hunt++;
        app.show();
        for (const odd of ["NaN", "Inf", "-Inf"]) {
          const when = `${number} == ${odd}`;
          if (past) {
            const r = await ask("find", { q, when });
            if (r.found) hits.push({ number, component, odd, ...r });
            continue;
          }
          for (let skip = 0, r = { uncompared: 1 }; r.uncompared; skip = r.skipped + r.compared) {
            r = await ask("entities", { q, when, skip, limit: 1 });
            if (!r.count) continue;
            hits.push({ number, component, odd, skip: skip || "", frame: r.frame, ...r.rows[0] });
            await halt();
            break;
          }
        }
      }
      if (hits.length) return await showOdd(hits, kept);
    }
    if (paused) await app.act("control", { do: "resume", value: "" });
    app.say(`no NaN and no infinity in ${plural(numbers.length, "float")} of components` + (kept ? ", nor in the kept frames" : ""));
  } catch (e) {
    app.say(e.message, true);
  } finally {
    hunt = null;
    app.show();
  }
}

function list() {
  const q = app.get("q"), when = app.get("when"), skip = app.get("skip"), tree = app.get("tree"), d = data, from = +app.get("from", 0);
  return [
    query(q, (text, form) => (/^\d+(:\d+)?$/.test(text) ? app.go("entities", { id: text }) : app.go("entities", { q: text, when: form.when.value.trim(), tree })), condition(when, "numbers", "Condition on the values of an entity")), wrong(),
    h("p", { class: "dim keys" }, h("code", null, "!X"), " without, ", h("code", null, "~X"), " off, ", h("code", null, "+X"), " on or off, ", h("code", null, ":all"), " prefabs, inactive, ghosts and disabled too, ", h("code", null, "#3"), " archetype, ", h("code", null, "17"), " or ", h("code", null, "17:2"), " one entity; condition: ", h("code", null, "&&"), " between comparisons, ", h("code", null, "== NaN"), " finds NaN. ", h("button", { id: "odd", disabled: hunt != null, onclick: () => findOdd() }, hunt == null ? "find any NaN" : `looking at number ${num(hunt)} …`), " ", nan.button()),
    found && found.when === when && h("p", { class: "wrong" }, foundText()),
    d && asked === request() && !app.wrong && card([h("b", null, num(d.count)), d.count === 1 ? " entity matches" : " entities match", tree && ", with the entities below", d.frames > 1 && h("span", { class: "dim" }, ` counted over ${d.frames} frames`)],
      [h("a", { id: "tree", href: app.link("entities", { q, when, tree: tree ? "" : 1 }) }, tree ? "as a list" : "as a tree"), when ? h("a", { id: "all", href: app.link("entities", { q, tree }) }, "without the condition") : [h("a", { href: app.link("picture", { q }) }, "picture"), h("a", { href: app.link("watches", { add: "count " + q }) }, "watch the count")]],
      d.skipped + d.uncompared > 0 && h("p", { class: "dim" }, `of the entities ${num(d.skipped + 1)} – ${num(d.skipped + d.compared)} of the query `, d.uncompared > 0 && h("a", { href: app.link("entities", { q, when, tree, skip: d.skipped + d.compared }) }, `compare the other ${num(d.uncompared)}`)),
      d.rows.length ? scroll(table(d, { q, when, tree })) : empty("None of them.", [when ? "Change the condition, or leave it out." : q ? "Remove a word of the query, or add :all for prefabs, inactive, ghosts and disabled." : "The world has no entities yet.", q && " The page of an entity says which systems match it, and why the others do not."]),
      d.count > step && h("nav", { class: "pages", "aria-label": "Pages" }, h("button", { disabled: from === 0, onclick: () => app.go("entities", { q, when, tree, skip, from: Math.max(0, from - step) || "" }) }, "before"), h("span", null, `${num(from + 1)} – ${num(from + d.rows.length)} of ${num(d.count)}`), h("button", { disabled: from + step >= d.count, onclick: () => app.go("entities", { q, when, tree, skip, from: from + step }) }, "next"))),
  ];
}

// spawn creates an instance of a prefab, or a copy of another entity, and opens it.
async function spawn(e) {
  const r = await app.act("spawn", { id: e.id }, "spawned from " + (e.name || e.id));
  if (r) app.go("entities", { ...listAt(), id: r.id });
}

function entity() {
  const e = one, id = app.get("id"), may = app.worlds?.edit && !app.get("frame");
  const back = h("a", { href: app.link("entities", listAt()) }, app.get("q") || app.get("when") ? "back to the list" : "all entities");
  if (gone?.asked === id + " " + app.get("frame")) return [h("h1", null, "Entity " + (gone.id || id) + (app.get("frame") ? ` does not exist in frame ${num(app.get("frame"))}` : " does not exist any more" + (gone.id ? "" : ", or never did")), h("span", { class: "right" }, back)), end()];
  if (app.wrong || !e || e.id !== id) return [wrong() || empty("Asking …"), back];
  const family = e.parents.length + e.childCount > 0, has = (name) => e.components.some((c) => c.full.endsWith("/ecs." + name)), inactive = has("Inactive");
  const post = (path, at, label) => app.act(path, { id, ...at }, label);
  return [
    h("h1", null, e.name || "Entity " + e.id, e.name && h("small", null, e.id), h("span", { class: "right" }, may && h("button", { onclick: () => { const name = prompt("Its name", e.name); if (name != null) post("name", { name }, "named"); } }, "name"),
      may && h("button", { id: "spawn", onclick: () => spawn(e) }, has("Prefab") ? "spawn an instance" : "copy"),
      may && h("button", { id: "active", onclick: () => post("enable", { on: inactive }, inactive ? "active" : "inactive") }, inactive ? "activate" : "deactivate"),
      may && h("button", { id: "destroy", onclick: () => post("destroy", {}, "destroyed: ↶ undoes this").then((r) => r && app.go("entities", listAt())) }, "destroy"), h("a", { href: app.link("archetypes", { index: e.archetype }) }, "archetype " + e.archetype), back)),
    before(e),
    found?.first && found.id === id && found.first === +app.get("frame") && h("p", { class: "wrong found", key: "found" }, foundText()),
    (family || may) && card("Family", may && h("form", { class: "parent", onsubmit: (ev) => (ev.preventDefault(), post("parent", { parent: ev.target.parent.value.trim() }, "parent set")) },
      h("input", { name: "parent", draft: true, value: e.parents[0]?.entity || "", placeholder: "no parent", "aria-label": "Parent: index:version of an entity, or nothing", autocomplete: "off" }), h("button", null, "set parent")), family && h("ul", { class: "tree" }, [...e.parents].reverse().map((p, k) => h("li", { style: { "margin-left": 18 * k + "px" } }, to(p))), h("li", { style: { "margin-left": 18 * e.parents.length + "px" } }, h("b", null, e.name || e.id), e.name && h("small", null, " " + e.id)), e.children.map((c) => h("li", { key: c.entity, style: { "margin-left": 18 * e.parents.length + 18 + "px" } }, to(c))), e.childCount > e.children.length && h("li", { class: "dim" }, `and ${num(e.childCount - e.children.length)} more`))),
    h("div", { class: "components" }, e.components.map((c) => h("section", { class: "card" + (c.on === false && c.kinds.includes("enableable") ? " off" : ""), key: c.name },
      h("h2", { title: c.full }, h("span", null, soft(bare(c.name))), h("span", { class: "right dim" }, c.kinds.includes("enableable") && !c.on ? "off, " : "", c.kinds.join(", "),
        may && c.kinds.includes("enableable") && h("input", { type: "checkbox", checked: c.on, "aria-label": c.name + " is on", onchange: (ev) => post("enable", { component: c.full, on: ev.target.checked }, ev.target.checked ? "on" : "off") }),
        may && !/cleanup|perChunk/.test(c.kinds.join()) && h("button", { class: "bare", title: "remove the component", "aria-label": "remove " + c.name, onclick: () => post("remove", { component: c.full }, "removed: ↶ undoes this") }, "✕"))),
      c.value === undefined || c.value === null ? null : h("table", { class: "fields" }, h("tbody", null, fields(c, "", c.value, may && !c.locked))),
      written(e, c),
      may && c.locked && c.value != null && h("p", { class: "dim" }, "Not to be edited: " + c.locked + ".")))),
    may && h("form", { class: "query add", onsubmit: (ev) => (ev.preventDefault(), post("add", { component: ev.target.component.value.trim() }, "added").then((r) => r && (ev.target.component.value = ""))) },
      input("component", "", "types", "Name of a component to add", "a component to add", () => app.types.map((t) => [t.name, t.kinds.join(", ")])), h("button", null, "add")),
    card("Systems", `${e.systems.filter((s) => s.matches).length} of ${e.systems.length} match ${app.get("frame") ? "an entity with these components" : "it"}`, h("ul", { class: "plain matching" }, [...e.systems].sort((a, b) => b.matches - a.matches).map((s) => h("li", { key: s.full, class: s.matches ? "" : "dim" }, h("span", { class: "mark", "aria-label": s.matches ? "matches" : "does not match" }, s.matches ? "✓" : "–"), systems([s.system]),
      [["writes", s.writes], ["reads", s.reads]].map(([what, list]) => list.length > 0 && h("span", { class: what === "writes" ? "hot" : "dim" }, `${what === "reads" && s.writes.length ? "; " : " "}${what} ${list.map(bare).join(", ")}`)), !s.matches && (s.writes.length + s.reads.length ? "; " : " ") + [...new Set(s.why)].join("; "))))),
  ];
}

// written describes who writes a component of an entity, and each of its numbers that is a NaN or an infinity.
function written(e, c) {
  const names = e.systems.filter((s) => s.writes.includes(c.name) && (s.matches || !s.queries.length)).map((s) => s.system);
  const inside = (path) => path.split(".").reduce((v, name) => (!Array.isArray(v) ? undefined : v[0]?.name != null ? v.find((f) => f.name === name)?.value : v[name]), c.value);
  const value = (number) => (number === c.name ? (Array.isArray(c.value) ? c.value[0]?.value : c.value) : inside(number.slice(c.name.length + 1)));
  const odd = (app.types.find((t) => t.full === c.full)?.floats || []).filter((number) => /^(NaN|[+-]?Inf)$/.test(value(number)));
  if (odd.length) return nan.odd(odd[0], value(odd[0]), e.id, names, odd.length - 1);
  return names.length > 0 && h("p", { class: "dim writers" }, "written by ", systems(names));
}

// fields returns a row for each field of a value, with the path of the field.
function fields(c, path, value, may, depth = 0) {
  const named = value?.text, v = named == null ? value : value.number; // an integer with the text of its method String
  const sub = (name) => (path ? path + "." : "") + name;
  if (Array.isArray(v)) {
    if (v.length && v[0]?.name != null) {
      const own = v.map((f) => fields(c, sub(f.name), f.value, may, depth)), sample = swatch(v);
      return sample ? [own, h("tr", { key: path + " colour" }, h("th", null, "colour"), h("td", null, sample), h("td"))] : own;
    }
    if (v.length === 16 && v.every((x) => typeof x === "number")) return [h("tr", { key: path }, h("th", null, path), h("td", null, h("div", { class: "matrix" }, v.map((_, k) => h("span", { title: `${path}.${(k % 4) * 4 + (k >> 2)}` }, brief(v[(k % 4) * 4 + (k >> 2)]))))))];
    return v.slice(0, 64).map((x, k) => fields(c, sub(k), x, may, depth + 1));
  }
  const plain = v === null || typeof v !== "object", number = typeof v === "number" || (typeof v === "string" && /^-?\d+$|^NaN$|^[+-]?Inf$/.test(v));
  const raw = plain ? String(v) : v.null ? "" : v.entity;
  return [h("tr", { key: path }, h("th", null, path || "value"),
    h("td", { class: named == null ? "" : "named" }, !plain && to(v), may && (plain ? !/^… \d+ more$/.test(v) : v.entity)
      ? h("input", { class: "edit" + (number && /NaN|Inf/.test(v) ? " bad" : ""), value: raw, "aria-label": `${c.name} ${path}`, placeholder: plain ? "" : "none", inputmode: number ? "decimal" : "text", onfocus: (e) => (e.target.before = e.target.value), onkeydown: (e) => { if (e.key === "Escape") { e.target.value = e.target.before; e.target.blur(); } if (e.key === "Enter") e.target.blur(); }, onchange: (e) => app.act("set", { id: one.id, component: c.full, field: path, value: e.target.value }, "set") })
      : plain && h("span", { class: number && /NaN|Inf/.test(v) ? "bad" : "" }, brief(v)), named != null && h("b", null, named)),
    h("td", null, number && depth < 2 && !/shared|buffer/.test(c.kinds.join()) && h("a", { class: "dim", title: "watch it", "aria-label": `watch ${c.name} ${path}`, href: app.link("watches", { add: `field ${one.id} ${c.name}${path ? "." + path : ""}` }) }, "∿")))];
}
