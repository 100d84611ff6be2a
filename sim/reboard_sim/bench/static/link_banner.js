// The address of the page is a link to its setup. A user who opens another link confirms it first.

import { cancellableTask } from "./cancellable_task.js";
import { setScene } from "./scene.js";
import { addressOf, isLoaded, LinkError, packedWiring, requestIn } from "./setup_link.js";

const LONGEST_QUOTE = 80;
const WIRINGS = { own: "the wiring of the drawings", config: "the wiring that the bench started with" };

export function linkBanner(editions, readers) {
  const banner = document.getElementById("link");
  const text = document.getElementById("link-says");
  const steps = document.getElementById("link-does");
  const cancel = document.getElementById("link-leave");
  const set = document.getElementById("link-set");
  const table = document.getElementById("table");
  const loading = cancellableTask(banner);
  let now = null;
  let request = null; // until the user accepts or cancels it

  function show(sentence, { lines = [], isWrong = true } = {}) {
    text.textContent = sentence;
    text.classList.toggle("wrong", isWrong);
    steps.hidden = !lines.length;
    steps.querySelector("ol").replaceChildren(...lines.map(item));
    cancel.textContent = request ? "Cancel" : "Close";
    if (!request && document.activeElement === set) cancel.focus();
    set.disabled = !request;
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
    if (wrong.is_set) {
      request = null;
      show(`The setup is loaded, but ${lineOf(wrong, lines)} failed: ${wrong.error}`, { lines });
      void showInAddress();
    } else {
      show(`The setup was not loaded: ${reason(wrong, lines)}`, { lines });
    }
  }

  async function read() {
    loading.forget(); // the setup of an earlier link still loads
    const loaded = now; // another setup may load while a long link is read
    try {
      request = await requestIn(location);
    } catch (error) {
      request = null;
      show(error instanceof LinkError ? `This link cannot be loaded: ${error.message}` : "This link cannot be read. It may be incomplete.");
      return;
    }
    if (!request || isLoaded(request, loaded)) {
      end();
      return;
    }
    const asked = request;
    const { setup, lines } = asked;
    const wrong = await setScene({ ...setup, check: true }, lines);
    if (request !== asked) return; // another link was opened meanwhile
    if (wrong) request = null;
    const says = wrong ? `This link cannot be loaded: ${reason(wrong, lines)}`
      : `This link loads another setup: ${described(asked, editions, readers)}. It closes the current table.`;
    show(says, { lines, isWrong: Boolean(wrong) });
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

function lineOf({ line }, lines) {
  return `line ${line} (“${quoted(lines[line - 1])}”)`;
}

function reason(wrong, lines) {
  return wrong.line ? `${lineOf(wrong, lines)}: ${wrong.error}` : wrong.error;
}

/** Describe the setup in words. */
function described({ setup, lines }, editions, readers) {
  const title = editions.find(({ name }) => name === setup.edition)?.title ?? setup.edition;
  const wiring = WIRINGS[setup.wiring ?? "own"] ?? `the wiring ${setup.wiring.name}`;
  return [
    title,
    title ? `on ${wiring}` : wiring,
    setup.left && `left reader ${readers[setup.left] ?? setup.left}`,
    setup.right && `right reader ${readers[setup.right] ?? setup.right}`,
    "seed" in setup ? `seed ${setup.seed}` : "a random seed",
    lines.length && `then ${lines.length} ${lines.length === 1 ? "line" : "lines"}`,
  ].filter(Boolean).join(", ");
}
