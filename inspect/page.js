"use strict";
const token = location.hash.slice(1).split("/")[0];
const views = ["worlds", "frame", "order", "archetypes", "entities", "journal", "memory", "loop", "types"];
const data = document.getElementById("data");
let view = "frame";
for (const name of views) {
  const b = document.createElement("button");
  b.textContent = name;
  b.addEventListener("click", () => { view = name; ask(); });
  document.getElementById("views").append(b);
}
async function ask() {
  try {
    const r = await fetch("api/" + view, { headers: { "X-Lanewise-Token": token } });
    data.textContent = r.ok ? JSON.stringify(await r.json(), null, 1) : await r.text();
  } catch (e) { data.textContent = "no answer: " + e; }
}
async function poll() {
  if (!document.hidden) await ask();
  setTimeout(poll, 500);
}
poll();
