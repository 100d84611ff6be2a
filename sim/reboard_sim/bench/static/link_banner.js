// The address of the page is a link to its setup. A user who opens another link confirms it first.

import { plural, text } from "/static/text.js";

import { cancellableTask } from "./cancellable_task.js";
import { request as send } from "./request.js";
import { setScene } from "./scene.js";
import { addressOf, isLoaded, LinkError, packedWiring, requestIn } from "./setup_link.js";

const LONGEST_QUOTE = 80;
const WIRINGS = { own: text("the wiring of the drawings"), config: text("the wiring that the bench started with") };

/** `loads_links`: a link is loaded without confirmation while the table has no players. */
export function linkBanner({ editions, readers, loads_links: loadsLinks }) {
  const banner = document.getElementById("link");
  const says = document.getElementById("link-says");
  const steps = document.getElementById("link-does");
  const cancel = document.getElementById("link-leave");
  const set = document.getElementById("link-set");
  const table = document.getElementById("table");
  const loading = cancellableTask(banner);
  let now = null;
  let request = null; // until the user accepts or cancels it

  function show(sentence, { lines = [], isWrong = true } = {}) {
    says.textContent = sentence;
    says.classList.toggle("wrong", isWrong);
    steps.hidden = !lines.length;
    steps.querySelector("ol").replaceChildren(...lines.map(item));
    cancel.textContent = request ? text("Cancel") : text("Close");
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
      show(text("The setup is loaded, but {line} failed: {error}", { line: lineOf(wrong, lines), error: wrong.error }), { lines });
      void showInAddress();
    } else {
      show(text("The setup was not loaded: {why}", { why: reason(wrong, lines) }), { lines });
    }
  }

  async function read() {
    loading.forget(); // the setup of an earlier link still loads
    const loaded = now; // another setup may load while a long link is read
    try {
      request = await requestIn(location);
    } catch (error) {
      request = null;
      show(error instanceof LinkError ? text("This link cannot be loaded: {why}", { why: error.message }) : text("This link cannot be read. It may be incomplete."));
      return;
    }
    if (!request || isLoaded(request, loaded)) {
      end();
      return;
    }
    if (loadsLinks && !(await hasPlayers())) {
      load();
      return;
    }
    const asked = request;
    const { setup, lines } = asked;
    const wrong = await setScene({ ...setup, check: true }, lines);
    if (request !== asked) return; // another link was opened meanwhile
    if (wrong) request = null;
    const sentence = wrong ? text("This link cannot be loaded: {why}", { why: reason(wrong, lines) })
      : text("This link loads another setup: {setup}. It closes the current table.", { setup: described(asked, editions, readers) });
    show(sentence, { lines, isWrong: Boolean(wrong) });
  }

  function load() {
    void loading.run((signal) => setScene(request.setup, request.lines, signal), loadedSetup);
  }

  cancel.addEventListener("click", end);
  set.addEventListener("click", load);
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

/** Whether the table has players, who would lose their money. */
async function hasPlayers() {
  try {
    const { cards } = await send("api/table", { what: text("the table") }).then((answer) => answer.json());
    return cards?.length > 0;
  } catch {
    return true;
  }
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
  return text("line {number} (“{line}”)", { number: line, line: quoted(lines[line - 1]) });
}

function reason(wrong, lines) {
  return wrong.line ? `${lineOf(wrong, lines)}: ${wrong.error}` : wrong.error;
}

/** Describe the setup in words. */
function described({ setup, lines }, editions, readers) {
  const title = editions.find(({ name }) => name === setup.edition)?.title ?? setup.edition;
  const wiring = WIRINGS[setup.wiring ?? "own"] ?? text("the wiring {name}", { name: setup.wiring.name });
  return [
    title,
    title ? text("on {wiring}", { wiring }) : wiring,
    setup.left && text("left reader {reader}", { reader: readers[setup.left] ?? setup.left }),
    setup.right && text("right reader {reader}", { reader: readers[setup.right] ?? setup.right }),
    "seed" in setup ? text("seed {seed}", { seed: setup.seed }) : text("a random seed"),
    lines.length && plural("then 1 line", "then {n} lines", lines.length),
  ].filter(Boolean).join(", ");
}
