// The address of the page is a link to its setup. A user who opens another link confirms it first.

import { addressOf, askedFor, isThere, packedWiring } from "./address.js";
import { deed } from "./deed.js";
import { READERS, setScene } from "./scene.js";

const MOST_LINES = 10_000;
const LONGEST_QUOTE = 80;
const WIRINGS = { own: "the wiring of the drawings", config: "the wiring that the bench started with" };

export function link(editions) {
  const banner = document.getElementById("link");
  const says = document.getElementById("link-says");
  const does = document.getElementById("link-does");
  const leave = document.getElementById("link-leave");
  const set = document.getElementById("link-set");
  const table = document.getElementById("table");
  const following = deed(banner);
  let now = null;
  let asked = null; // until it is answered

  function tell(sentence, lines = []) {
    says.textContent = sentence;
    does.hidden = !lines.length;
    does.querySelector("ol").replaceChildren(...lines.map(item));
    leave.textContent = asked ? "Cancel" : "Close";
    if (!asked && document.activeElement === set) leave.focus();
    set.hidden = !asked;
    banner.hidden = false;
  }

  async function show() {
    const scene = now;
    const packed = await packedWiring(scene);
    if (asked || scene !== now) return;
    history.replaceState(history.state, "", addressOf(scene, packed, location));
  }

  function end() {
    following.leave();
    asked = null;
    if (banner.contains(document.activeElement)) table.focus();
    banner.hidden = true;
    void show();
  }

  function followed(wrong) {
    if (!wrong) {
      end();
      return;
    }
    const { lines } = asked;
    const line = wrong.line ? `line ${wrong.line} (“${quoted(lines[wrong.line - 1])}”)` : "";
    if (wrong.is_set) {
      asked = null;
      tell(`The setup is loaded, but ${line} failed: ${wrong.error}`, lines);
      void show();
    } else {
      tell(`The setup was not loaded: ${line && `${line}: `}${wrong.error}`, lines);
    }
  }

  function refuse(sentence) {
    asked = null;
    tell(sentence);
  }

  async function read() {
    following.forget(); // the setup before is loaded; this is another link
    const there = now; // a setup that loads while a long link is read appears here, as on every open page
    try {
      asked = await askedFor(location);
    } catch {
      refuse("This link cannot be read. It may be incomplete.");
      return;
    }
    const problem = asked && problemOf(asked);
    if (!asked || isThere(asked, there)) end();
    else if (problem) refuse(problem);
    else tell(`This link loads another setup: ${described(asked, editions)}. It closes the current table.`, asked.lines);
  }

  leave.addEventListener("click", end);
  set.addEventListener("click", () => void following.begin((signal) => setScene(asked.wish, asked.lines, signal), followed));
  // another link with the same scene, opened in this window: the page is not loaded again
  window.addEventListener("hashchange", () => { if (now) void read(); });

  return {
    scene(is) {
      const isFirst = !now;
      now = is;
      void (isFirst ? read() : show());
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

/** Why a link can never be followed, or "". */
function problemOf({ wish, lines }) {
  const count = (number) => number.toLocaleString("en");
  if (lines.length > MOST_LINES) return `This link has ${count(lines.length)} lines. The most are ${count(MOST_LINES)}.`;
  const isMissing = typeof wish.wiring === "string" && !Object.hasOwn(WIRINGS, wish.wiring);
  return isMissing ? `This link names the wiring ${wish.wiring} but does not contain it. It may be incomplete.` : "";
}

/** The setup in words. */
function described({ wish, lines }, editions) {
  const title = editions.find(({ name }) => name === wish.edition)?.title ?? wish.edition;
  const wiring = WIRINGS[wish.wiring ?? "own"] ?? `the wiring ${wish.wiring.name}`;
  return [
    title,
    title ? `on ${wiring}` : wiring,
    wish.left && `left reader ${READERS[wish.left] ?? wish.left}`,
    wish.right && `right reader ${READERS[wish.right] ?? wish.right}`,
    "seed" in wish ? `seed ${wish.seed}` : "a random seed",
    lines.length && `then ${lines.length} ${lines.length === 1 ? "line" : "lines"}`,
  ].filter(Boolean).join(", ");
}
