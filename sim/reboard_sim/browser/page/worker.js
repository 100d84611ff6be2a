// The table in a web worker: Pyodide with reboard and reboard_sim. The page talks to it by messages: table_in_browser.js.

import { openKept } from "./kept.js";

// the build writes these two
const BYTES = 0; // of all files that are fetched here
const PYODIDE = ""; // the folder of Pyodide, which has its version in its name
const LONGEST_TIMER_MS = 2 ** 31 - 1; // a browser calls a longer one at once
const KEEP_MS = 150;

const news = (kind, more) => postMessage({ news: { kind, ...more } });
const turns = new MessageChannel();
const ends = new Map(); // of requests whose sender may stop waiting
const loaded = { bytes: 0, at: 0 };
let bench;
let timer = 0;
let keeping = 0;
let isTurning = false;

turns.port1.onmessage = () => {
  isTurning = false;
  let wait_s;
  try {
    wait_s = bench.pump();
  } catch (error) {
    news("stopped", { cause: causeOf(error) });
    throw error;
  }
  if (isTurning) return;
  if (wait_s <= 0) turnSoon();
  else if (wait_s < Infinity) timer = setTimeout(turnSoon, Math.min(wait_s * 1000, LONGEST_TIMER_MS));
};

function turnSoon() {
  if (isTurning) return;
  isTurning = true;
  clearTimeout(timer);
  turns.port2.postMessage(null); // a timeout of 0 would take 4 ms
}

/** The last line of an error of Python, or its message. */
function causeOf(error) {
  return String(error.message ?? error).trim().split("\n").at(-1);
}

// Pyodide fetches its files, too
const fetchOnly = globalThis.fetch.bind(globalThis);
globalThis.fetch = async (file) => {
  const answer = await fetchOnly(file).catch((error) => error);
  if (answer.ok) {
    void count(answer.clone()); // a copy: a browser keeps compiled code only for what it fetched itself
    return answer;
  }
  // for WebAssembly the service worker does not answer: see there
  const kept = await globalThis.caches?.match(file, { ignoreSearch: true });
  if (kept) return kept;
  throw answer instanceof Error ? answer : new Error(`${answer.url}: HTTP ${answer.status}`);
};

async function count(answer) {
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    loaded.bytes += value.length;
    if (performance.now() < loaded.at + 50 && loaded.bytes < BYTES) continue;
    loaded.at = performance.now();
    news("loading", { loaded: loaded.bytes, total: BYTES });
  }
}

async function start({ seed, kept: name, hasProgram }) {
  news("loading", { loaded: 0, total: BYTES });
  // with it, time.sleep() in a request suspends the running loop of the table, which `pump` then finds running
  if (!hasProgram) delete WebAssembly.Suspending;
  const packages = fetch(new URL("./python.zst", import.meta.url)).then((answer) => answer.arrayBuffer());
  const unpack = fetch(new URL("./unpack.py", import.meta.url)).then((answer) => answer.text());
  const kept = hasProgram ? null : openKept(name, (what) => news("notice", { name: what }));
  const { loadPyodide } = await import(`./${PYODIDE}/pyodide.mjs`);
  const python = await loadPyodide({ indexURL: new URL(`./${PYODIDE}/`, import.meta.url).href });
  python._api.on_fatal = (error) => news("stopped", { cause: causeOf(error) });
  python.FS.writeFile("/python.zst", new Uint8Array(await packages));
  python.runPython(await unpack);
  news("starting");
  if (hasProgram) startProgramBench(python, seed);
  else await startBench(python, seed, kept);
  await bench.start();
  turnSoon();
  news("live");
}

function startProgramBench(python, seed) {
  const { ScriptBench } = python.pyimport("reboard_sim.browser.script_bench");
  bench = ScriptBench(seed, turnSoon);
  todo.program = ({ text }) => bench.write(text);
}

async function startBench(python, seed, kept) {
  const { Bench } = python.pyimport("reboard_sim.browser.bench");
  const { record, keep } = await kept;
  bench = Bench(seed, record, turnSoon, keepSoon, (name) => news("notice", { name }));
  let saved = Promise.resolve();
  todo.keep = () => {
    clearTimeout(keeping);
    keeping = 0;
    const changed = bench.kept();
    if (changed) {
      const [setup, files] = changed.toJs();
      changed.destroy();
      saved = saved.then(() => keep({ setup, files: new Map(files) }));
    }
    return saved; // the worker must not end before what an earlier call keeps is on the disk
  };
}

function keepSoon() {
  keeping ||= setTimeout(() => todo.keep(), KEEP_MS);
}

/** A copy of bytes of Python, which the page gets without another copy. */
function copied(bytes) {
  return bytes.slice().buffer;
}

function post(socket, kind, data) {
  const isText = typeof data !== "object";
  const content = isText ? data : copied(data.toJs());
  postMessage({ socket, kind, data: content }, isText ? [] : [content]);
}

const todo = {
  async request({ id, method, path, query, headers, body }) {
    try {
      const isGone = new Promise((resolve) => ends.set(id, resolve));
      const answer = await bench.answer(method, path, query, headers, new TextEncoder().encode(body ?? ""), isGone);
      const [status, sent, content] = answer.toJs();
      answer.destroy();
      const copy = copied(content);
      postMessage({ id, status, headers: sent, body: copy }, [copy]);
    } catch (error) {
      postMessage({ id, error: causeOf(error) });
    } finally {
      ends.delete(id);
    }
  },
  abort: ({ id }) => ends.get(id)?.(),
  open: ({ socket, path, query }) => bench.open_socket(socket, path, query, post),
  send: ({ socket, text }) => bench.receive(socket, text),
};

/** Keep the table, and leave it to the next window. */
async function end() {
  await todo.keep?.();
  close();
}

// what the page asks before the table is there waits for it
let ready;
onmessage = async ({ data }) => {
  if (data.do === "end") {
    await end();
    return;
  }
  if (data.do === "start") {
    ready = start(data).catch((error) => {
      const isOffline = loaded.bytes < BYTES && error instanceof TypeError;
      news(isOffline ? "offline" : "stopped", { cause: causeOf(error) });
      throw error;
    });
  } else {
    await ready;
    await todo[data.do]?.(data);
  }
};
