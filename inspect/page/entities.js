// The view of entities: the entities that match a query, their values, and all data of one entity.
import { h, num, brief, bare, card, empty } from "./dom.js";
import { app } from "./app.js";

let data = null, asked = "", one = null;
const step = 60;

export default {
  name: "Entities", about: "which match, what are their values", pace: 500,
  async poll() {
    const id = app.get("id");
    if (id) one = await app.api("entity", { id });
    else {
      const q = app.get("q");
      data = await app.api("entities", { q, from: app.get("from", 0), limit: step });
      asked = q;
    }
  },
  draw: () => (app.get("id") ? entity() : list()),
};

// query returns an input for the text of a query, which completes the last word.
export function query(q, to) {
  return h("form", { class: "query", role: "search", onsubmit: (e) => (e.preventDefault(), to(e.target.q.value.trim())) },
    h("input", { name: "q", "data-query": "", value: q, placeholder: "Translation !Parent", "aria-label": "Query: names of components", autocomplete: "off", spellcheck: "false", list: "words", then: (n) => n.value && complete(n), oninput: (e) => complete(e.target) }),
    h("datalist", { id: "words" }), h("button", null, "show"));
}
function complete(input) {
  const l = input.form?.querySelector("datalist");
  if (!l) return;
  const cut = input.value.search(/\S*$/), head = input.value.slice(0, cut), last = input.value.slice(cut), sign = /^[!~+]?/.exec(last)[0], word = last.slice(sign.length).toLowerCase();
  const fit = word ? app.types.filter((t) => t.name.toLowerCase().includes(word)).slice(0, 30) : [];
  l.replaceChildren(...fit.map((t) => Object.assign(document.createElement("option"), { value: head + sign + t.name, label: t.kinds.join(", ") })));
}
export const wrong = () => app.wrong && h("p", { class: "wrong", role: "alert" }, app.wrong.replace(/^inspect: /, ""));

// text returns the text of a value in a cell.
function text(v) {
  if (Array.isArray(v)) return v.length && v[0]?.name != null ? v.map((f, k) => [k ? " " : "", h("small", null, f.name), " ", text(f.value)]) : "[" + v.slice(0, 4).map((x) => (typeof x === "number" ? brief(x) : "…")).join(" ") + (v.length > 4 ? " …" : "") + "]";
  return v && typeof v === "object" ? to(v) : brief(v);
}
const to = (r) => (r.null ? h("span", { class: "dim" }, "none") : h("a", { href: app.link("entities", { id: r.entity }) }, "→" + (r.name || r.entity)));

function list() {
  const q = app.get("q"), d = data, from = +app.get("from", 0);
  return [
    query(q, (text) => app.go("entities", { q: text })), wrong(),
    h("p", { class: "dim keys" }, h("code", null, "!X"), " without, ", h("code", null, "~X"), " off, ", h("code", null, "+X"), " on or off, ", h("code", null, ":all"), " prefabs, inactive, ghosts and disabled too, ", h("code", null, "#3"), " archetype"),
    d && asked === q && !app.wrong && card([h("b", null, num(d.count)), d.count === 1 ? " entity matches" : " entities match", d.frames > 1 && h("span", { class: "dim" }, ` counted over ${d.frames} frames`)],
      [h("a", { href: app.link("picture", { q }) }, "picture"), h("a", { href: app.link("watches", { add: "count " + q }) }, "watch the count")],
      d.rows.length
        ? h("div", { class: "scroll" }, h("table", { class: "entities" }, h("thead", null, h("tr", null, h("th", null, "entity"), d.columns.map((c) => h("th", { title: c }, bare(c))))),
          h("tbody", null, d.rows.map((r) => h("tr", { key: r.id }, h("th", { scope: "row" }, h("a", { href: app.link("entities", { id: r.id }) }, r.name || r.id)), d.columns.map((c) => h("td", { class: "v" }, r.values[c] === undefined ? "" : text(r.values[c]))))))))
        : empty("None of them."),
      d.count > step && h("nav", { class: "pages", "aria-label": "Pages" }, h("button", { disabled: from === 0, onclick: () => app.go("entities", { q, from: Math.max(0, from - step) || "" }) }, "before"), h("span", null, `${num(from + 1)} – ${num(from + d.rows.length)} of ${num(d.count)}`), h("button", { disabled: from + step >= d.count, onclick: () => app.go("entities", { q, from: from + step }) }, "next"))),
  ];
}

function entity() {
  const e = one, id = app.get("id"), may = app.worlds?.edit && !app.get("frame");
  const back = h("a", { href: app.link("entities", { q: app.get("q") }) }, "all entities");
  if (app.wrong || !e || e.id !== id) return [wrong() || empty("Asking …"), back];
  const family = e.parents.length + e.childCount > 0;
  return [
    h("h1", null, e.name || "Entity " + e.id, e.name && h("small", null, e.id), h("span", { class: "right" }, may && h("button", { onclick: () => { const name = prompt("Its name", e.name); if (name != null) app.act("name", { id, name }, "named"); } }, "name"), h("a", { href: app.link("archetypes", { index: e.archetype }) }, "archetype " + e.archetype), back)),
    family && card("Family", null, h("ul", { class: "tree" }, [...e.parents].reverse().map((p, k) => h("li", { style: { "margin-left": 18 * k + "px" } }, to(p))), h("li", { style: { "margin-left": 18 * e.parents.length + "px" } }, h("b", null, e.name || e.id)), e.children.map((c) => h("li", { key: c.entity, style: { "margin-left": 18 * e.parents.length + 18 + "px" } }, to(c))), e.childCount > e.children.length && h("li", { class: "dim" }, `and ${num(e.childCount - e.children.length)} more`))),
    h("div", { class: "components" }, e.components.map((c) => h("section", { class: "card" + (c.on === false && c.kinds.includes("enableable") ? " off" : ""), key: c.name },
      h("h2", { title: c.full }, bare(c.name), h("span", { class: "right dim" }, c.kinds.includes("enableable") && !c.on ? "off, " : "", c.kinds.join(", "))),
      c.value === undefined || c.value === null ? null : h("table", { class: "fields" }, h("tbody", null, fields(c, "", c.value, may && !c.locked))),
      may && c.locked && c.value != null && h("p", { class: "dim" }, "Not to be edited: " + c.locked + ".")))),
    !app.get("frame") && card("Systems", `${e.systems.filter((s) => s.matches).length} of ${e.systems.length} match it`, h("ul", { class: "plain matching" }, [...e.systems].sort((a, b) => b.matches - a.matches).map((s) => h("li", { key: s.full, class: s.matches ? "" : "dim" }, h("span", { class: "mark", "aria-label": s.matches ? "matches" : "does not match" }, s.matches ? "✓" : "–"), h("a", { href: app.link("frame", { system: s.system }) }, s.system), !s.matches && " " + [...new Set(s.why)].join("; "))))),
  ];
}

// fields returns a row for each field of a value, with the path of the field.
function fields(c, path, v, may, depth = 0) {
  const sub = (name) => (path ? path + "." : "") + name;
  if (Array.isArray(v)) {
    if (v.length && v[0]?.name != null) return v.map((f) => fields(c, sub(f.name), f.value, may, depth));
    if (v.length === 16 && v.every((x) => typeof x === "number")) return [h("tr", { key: path }, h("th", null, path), h("td", null, h("div", { class: "matrix" }, v.map((_, k) => h("span", { title: `${path}.${(k % 4) * 4 + (k >> 2)}` }, brief(v[(k % 4) * 4 + (k >> 2)]))))))];
    return v.slice(0, 64).map((x, k) => fields(c, sub(k), x, may, depth + 1));
  }
  const plain = v === null || typeof v !== "object", number = typeof v === "number" || (typeof v === "string" && /^-?\d+$|NaN|Inf/.test(v));
  return [h("tr", { key: path }, h("th", null, path || "value"),
    h("td", null, !plain ? to(v) : may && (number || typeof v === "boolean")
      ? h("input", { class: "edit", value: String(v), "aria-label": `${c.name} ${path}`, inputmode: "decimal", onkeydown: (e) => { if (e.key === "Escape") { e.target.value = v; e.target.blur(); } if (e.key === "Enter") e.target.blur(); }, onchange: (e) => app.act("set", { id: one.id, component: c.full, field: path, value: e.target.value }, "set") })
      : h("span", { class: /NaN|Inf/.test(v) ? "bad" : "" }, brief(v))),
    h("td", null, number && depth < 2 && h("a", { class: "dim", title: "watch it", "aria-label": `watch ${c.name} ${path}`, href: app.link("watches", { add: `field ${one.id} ${c.name}${path ? "." + path : ""}` }) }, "∿")))];
}
