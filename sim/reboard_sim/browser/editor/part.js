// The part of the page in which a visitor writes a program: an editor, Run and Stop, examples, links and files.

import { deflated, inflated } from "/static/deflate.js";
import { posted } from "/static/request.js";
import { setScene } from "/static/scene.js";
import { text } from "/static/text.js";

const PLACE = new URL(".", document.baseURI);
const KEPT = `reboard-program ${PLACE.pathname}`;
const STOPPED = "reboard-program-stopped";
const IN_LINK = "script";
const LONGEST_LINK = 8000; // characters
const STOP_MS = 2000;
const INDENT = 4;
const FILE = "program.py";
const FIRST = "traffic_light";

const byId = (name) => document.getElementById(`editor-${name}`);

export default function part() {
  const [area, numbers, says, run, stop, examples] = ["text", "lines", "says", "run", "stop", "examples"].map(byId);
  const { worker } = globalThis.tableInBrowser;
  const canRun = "Suspending" in WebAssembly;
  let setup = null;
  let isOwn = false; // or an example, or a program from a link, that the visitor has not changed
  let shownExample = "";
  let wrongLine = 0;
  let shownWhy = "";

  byId("unable").hidden = canRun;
  document.getElementById("power").disabled = !canRun; // it would run the program, too

  /** Show a program that is not the visitor's own, which stays in this browser: this one only outlasts a reload. */
  function show(program, example = "") {
    area.value = program;
    isOwn = false;
    nameExample(example);
    store("sessionStorage", KEPT, JSON.stringify({ program, example }));
    changed();
  }

  /** Show the name of the example that the text is, if it is one. */
  function nameExample(example) {
    shownExample = example;
    examples.value = example;
  }

  function changed() {
    worker.postMessage({ do: "program", text: area.value }); // for "Power", too
    mark(0);
  }

  function mark(line) {
    wrongLine = line;
    number();
  }

  function keep() {
    isOwn = true;
    nameExample("");
    store("localStorage", KEPT, area.value);
    store("sessionStorage", KEPT, "");
  }

  function number() {
    const count = area.value.split("\n").length;
    numbers.replaceChildren(...Array.from({ length: count }, (_, index) => {
      const line = document.createElement(index + 1 === wrongLine ? "mark" : "span");
      line.textContent = `${index + 1}\n`;
      return line;
    }));
    numbers.scrollTop = area.scrollTop;
  }

  function insert(letters) {
    document.execCommand("insertText", false, letters); // unlike setRangeText, it can be undone
  }

  async function begin() {
    const { program, example } = JSON.parse(stored("sessionStorage", KEPT) || "{}");
    const own = stored("localStorage", KEPT);
    if (program || own) show(program || own, example);
    if (own && !program) keep();
    if (!(await openLink()) && !area.value) await showExample(FIRST);
  }

  /** Show the program of the link in the address. Return whether there is one. */
  async function openLink() {
    const packed = new URLSearchParams(location.hash.slice(1)).get(IN_LINK);
    if (!packed) return false;
    history.replaceState(history.state, "", location.pathname + location.search);
    const program = await inflated(packed).catch(() => null);
    if (program === null) {
      says.textContent = text("This link cannot be read. It may be incomplete.");
      return false;
    }
    if (program === area.value || !mayReplace()) return true;
    show(program);
    says.textContent = text("This program is from a link. Read it before you run it.");
    return true;
  }

  function mayReplace() {
    return !isOwn || confirm(text("This replaces your program. Continue?"));
  }

  async function showExample(example) {
    const program = await contentOf(`examples/${example}.py`);
    if (program) show(program, example);
  }

  async function listExamples() {
    const names = JSON.parse((await contentOf("examples/names.json")) || "[]");
    examples.append(...names.map((name) => new Option(name.replaceAll("_", " "), name)));
    examples.value = shownExample;
  }

  async function copyLink() {
    const address = new URL(location.pathname, location.origin);
    address.hash = new URLSearchParams({ [IN_LINK]: await deflated(area.value) });
    if (String(address).length > LONGEST_LINK) {
      says.textContent = text("The program is too long for a link. Save it as a file.");
      return;
    }
    try {
      await navigator.clipboard.writeText(address);
      says.textContent = text("Copied");
    } catch {
      history.replaceState(history.state, "", address);
      says.textContent = text("See the address bar");
    }
  }

  function saveFile() {
    const href = URL.createObjectURL(new Blob([area.value], { type: "text/x-python" }));
    Object.assign(document.createElement("a"), { href, download: FILE }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }

  /** Cut the power. If the program never waits, its worker does not answer: the page ends it, and loads again. */
  async function stopProgram() {
    const isCut = fetch("api/bench/do", posted({ lines: ["power off"] })).then(() => true, () => false);
    if (await Promise.race([isCut, new Promise((resolve) => setTimeout(resolve, STOP_MS, false))])) return true;
    store("sessionStorage", STOPPED, "yes");
    worker.terminate();
    location.reload();
    return false;
  }

  async function runProgram() {
    mark(0);
    shownWhy = ""; // the next run can fail before the page sees it without an error
    says.textContent = "";
    if (!(await stopProgram())) return;
    const problem = await setScene(setup, []);
    if (problem) says.textContent = problem.error;
  }

  area.addEventListener("input", () => {
    keep();
    changed();
  });
  area.addEventListener("scroll", () => { numbers.scrollTop = area.scrollTop; });
  area.addEventListener("keydown", (event) => {
    event.stopPropagation(); // no shortcut of the bench
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const line = area.value.slice(0, area.selectionStart).split("\n").at(-1);
    if (event.key === "Tab") insert(" ".repeat(INDENT - (line.length % INDENT)));
    else if (event.key === "Enter") insert(`\n${/^ */.exec(line)[0]}${line.trimEnd().endsWith(":") ? " ".repeat(INDENT) : ""}`);
    else return;
    event.preventDefault();
  });
  run.addEventListener("click", runProgram);
  stop.addEventListener("click", stopProgram);
  examples.addEventListener("change", async () => {
    if (examples.value && mayReplace()) await showExample(examples.value);
    examples.value = shownExample;
  });
  byId("link").addEventListener("click", copyLink);
  byId("save").addEventListener("click", saveFile);
  window.addEventListener("hashchange", openLink);

  if (stored("sessionStorage", STOPPED)) {
    sessionStorage.removeItem(STOPPED);
    says.textContent = text("The program did not wait, so it was stopped. Use sleep() in each loop.");
  }
  void begin();
  void listExamples();

  return {
    scene(loaded) {
      setup = loaded;
      run.disabled = stop.disabled = !canRun;
    },
    hardware({ program: { why } }) {
      if (why === shownWhy) return;
      shownWhy = why;
      mark(Number(/^program\.py:(\d+)/.exec(why)?.[1] ?? 0));
    },
  };
}

function stored(place, name) {
  try {
    return globalThis[place].getItem(name); // a browser that keeps nothing already refuses the place
  } catch {
    return null;
  }
}

function store(place, name, value) {
  try {
    globalThis[place].setItem(name, value);
  } catch {
    // this browser keeps nothing
  }
}

async function contentOf(address) {
  const answer = await fetch(new URL(address, PLACE)).catch(() => null);
  return answer?.ok ? answer.text() : "";
}
