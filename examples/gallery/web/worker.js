// A worker runs the program: gallery.js starts one for the picture and one for the check of the bits.
"use strict";
importScripts("wasm_exec.js");

let opened = 0; // counts the runs, so that a longer task stops when another run is opened

// ask calls a function of the program. An error of the program becomes an exception.
function ask(name, ...args) {
  const result = lanewise[name](...args);
  if (result && result.error) throw new Error(result.error);
  return result;
}

// advance computes ticks in short slices, between which messages can arrive. It returns false if another run was opened.
async function advance(ticks, say) {
  const mine = opened;
  for (let done = 0; done < ticks; ) {
    for (const end = performance.now() + 40; done < ticks && performance.now() < end; done++) ask("advance", 1);
    say(done);
    await new Promise((next) => setTimeout(next));
    if (mine !== opened) return false;
  }
  return true;
}

const tasks = {
  async start({ module }) {
    const go = new Go();
    go.run(await WebAssembly.instantiate(module, go.importObject)); // returns when main waits for calls
    return ask("exhibits");
  },
  async open({ link }) {
    const { name, tick } = ask("open", link); // if it fails, the last run continues
    opened++;
    const complete = await advance(tick, (done) => postMessage({ replayed: done, of: tick }));
    return { name, tick, complete };
  },
  // frame computes ticks until a time is over, and draws.
  frame({ ticks, budget, aspect, buffer }) {
    const begin = performance.now();
    let done = 0;
    while (done < ticks && (done === 0 || performance.now() - begin < budget)) {
      ask("advance", 1);
      done++;
    }
    const middle = performance.now();
    let bytes = new Uint8Array(buffer);
    let state = ask("draw", bytes, aspect);
    if (state.bytes > bytes.length) {
      bytes = new Uint8Array(state.bytes * 2);
      state = ask("draw", bytes, aspect);
    }
    return { ...state, done, computed: middle - begin, drawn: performance.now() - middle, buffer: bytes.buffer };
  },
  set({ param, value }) {
    ask("set", param, value);
    return {};
  },
  inspect: ({ method, target }) => ask("inspect", method, target),
  state: () => ({ link: ask("link"), hash: ask("hash") }),
  save: () => ({ file: ask("save") }),
  load({ file }) {
    const run = ask("load", new Uint8Array(file));
    opened++;
    return { ...run, complete: true };
  },
  async check({ name, ticks }) {
    ask("open", name);
    opened++;
    const complete = await advance(ticks, (done) => postMessage({ checked: done, of: ticks }));
    return complete ? { hash: ask("hash") } : {};
  },
};

onmessage = async ({ data }) => {
  try {
    const result = await tasks[data.task](data);
    postMessage({ id: data.id, result }, result.buffer ? [result.buffer] : []);
  } catch (err) {
    postMessage({ id: data.id, error: err.message });
  }
};
