// The address of the page is a link to its setup. A user who opens another link confirms it first.

import { cancellableTask } from "./cancellable_task.js";
import { READERS, setScene } from "./scene.js";
import { addressOf, isLoaded, packedWiring, requestIn } from "./setup_link.js";

const MOST_LINES = 10_000;
const LONGEST_QUOTE = 80;
const WIRINGS = { own: "the wiring of the drawings", config: "the wiring that the bench started with" };

export function linkBanner(editions) {
  const banner = document.getElementById("link");
  const text = document.getElementById("link-says");
  const steps = document.getElementById("link-does");
  const cancel = document.getElementById("link-leave");
  const set = document.getElementById("link-set");
  const table = document.getElementById("table");
  const loading = cancellableTask(banner);
  let now = null;
  let request = null; // until the user accepts or cancels it

  function show(sentence, lines = []) {
    text.textContent = sentence;
    steps.hidden = !lines.length;
    steps.querySelector("ol").replaceChildren(...lines.map(item));
    cancel.textContent = request ? "Cancel" : "Close";
    if (!request && document.activeElement === set) cancel.focus();
    set.hidden = !request;
    banner.hidden = false;
  }

  async function showInAddress() {
    const scene = now;
    const packed = await packedWiring(scene);
    if (request || scene !== now) return;
    history.replaceState(history.state, "", addressOf(scene, packed, location));
  }

  function end() {
    loading.cancel();
    request = null;
    if (banner.contains(document.activeElement)) table.focus();
    banner.hidden = true;
    void showInAddress();
  }

  function loadedSetup(wrong) {
    if (!wrong) {
      end();
      return;
    }
    const { lines } = request;
    const line = wrong.line ? `line ${wrong.line} (“${quoted(lines[wrong.line - 1])}”)` : "";
    if (wrong.is_set) {
      request = null;
      show(`The setup is loaded, but ${line} failed: ${wrong.error}`, lines);
      void showInAddress();
    } else {
      show(`The setup was not loaded: ${line && `${line}: `}${wrong.error}`, lines);
    }
  }

  function reject(sentence) {
    request = null;
    show(sentence);
  }

  async function read() {
    loading.forget(); // the setup of an earlier link still loads
    const loaded = now; // another setup may load while a long link is read
    try {
      request = await requestIn(location);
    } catch {
      reject("This link cannot be read. It may be incomplete.");
      return;
    }
    const problem = request && problemOf(request);
    if (!request || isLoaded(request, loaded)) end();
    else if (problem) reject(problem);
    else show(`This link loads another setup: ${described(request, editions)}. It closes the current table.`, request.lines);
  }

  cancel.addEventListener("click", end);
  set.addEventListener("click", () => void loading.run((signal) => setScene(request.setup, request.lines, signal), loadedSetup));
  // another link with the same scene, opened in this window: the page is not loaded again
  window.addEventListener("hashchange", () => { if (now) void read(); });

  return {
    scene(loaded) {
      const isFirst = !now;
      now = loaded;
      void (isFirst ? read() : showInAddress());
    },
  };
}

function item(line) {
  const row = document.createElement("li");
  row.textContent = line;
  return row;
}

function quoted(line) {
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line;
}

/** Return why a link cannot be loaded, or "". */
function problemOf({ setup, lines }) {
  const count = (number) => number.toLocaleString("en");
  if (lines.length > MOST_LINES) return `This link has ${count(lines.length)} lines. The most are ${count(MOST_LINES)}.`;
  const isMissing = typeof setup.wiring === "string" && !Object.hasOwn(WIRINGS, setup.wiring);
  return isMissing ? `This link names the wiring ${setup.wiring} but does not contain it. It may be incomplete.` : "";
}

/** Describe the setup in words. */
function described({ setup, lines }, editions) {
  const title = editions.find(({ name }) => name === setup.edition)?.title ?? setup.edition;
  const wiring = WIRINGS[setup.wiring ?? "own"] ?? `the wiring ${setup.wiring.name}`;
  return [
    title,
    title ? `on ${wiring}` : wiring,
    setup.left && `left reader ${READERS[setup.left] ?? setup.left}`,
    setup.right && `right reader ${READERS[setup.right] ?? setup.right}`,
    "seed" in setup ? `seed ${setup.seed}` : "a random seed",
    lines.length && `then ${lines.length} ${lines.length === 1 ? "line" : "lines"}`,
  ].filter(Boolean).join(", ");
}
