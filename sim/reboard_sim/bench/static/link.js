// The page's address shows what is on the table. Who opens another one is asked before anything is done.

import { addressOf, askedFor, isThere, packedWiring } from "./address.js";
import { deed } from "./deed.js";
import { READERS, setScene } from "./scene.js";

const MOST_LINES = 10_000;
const LONGEST_QUOTE = 80;
const WIRINGS = { own: "our own wiring", config: "the wiring that the bench was begun with" };

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
    leave.textContent = asked ? "Leave it" : "Close";
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
      tell(`The table was set anew, but ${line} could not be carried out: ${wrong.error}`, lines);
      void show();
    } else {
      tell(`That was not done: ${line && `${line}: `}${wrong.error}`, lines);
    }
  }

  function refuse(sentence) {
    asked = null;
    tell(sentence);
  }

  async function read() {
    following.forget(); // what was wanted is done; this is another link
    const there = now; // a table that is set anew while a long link is read is followed, as by every open page
    try {
      asked = await askedFor(location);
    } catch {
      refuse("This link cannot be read: was it cut off?");
      return;
    }
    const problem = asked && problemOf(asked);
    if (!asked || isThere(asked, there)) end();
    else if (problem) refuse(problem);
    else tell(`This link sets the table anew: ${described(asked, editions)}. What is on it now is taken away.`, asked.lines);
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

/** Why a link cannot be followed whatever is on the table, or "". */
function problemOf({ wish, lines }) {
  const count = (number) => number.toLocaleString("en");
  if (lines.length > MOST_LINES) return `This link has ${count(lines.length)} lines, and at most ${count(MOST_LINES)} are done.`;
  const isMissing = typeof wish.wiring === "string" && !Object.hasOwn(WIRINGS, wish.wiring);
  return isMissing ? `This link names the wiring ${wish.wiring} and does not have it: was it cut off?` : "";
}

/** The wish in words, with what is the case where nothing was wished. */
function described({ wish, lines }, editions) {
  const title = editions.find(({ name }) => name === wish.edition)?.title ?? wish.edition;
  const wiring = WIRINGS[wish.wiring ?? "own"] ?? `the wiring ${wish.wiring.name}`;
  return [
    title,
    title ? `on ${wiring}` : wiring,
    wish.left && `left reader ${READERS[wish.left] ?? wish.left}`,
    wish.right && `right reader ${READERS[wish.right] ?? wish.right}`,
    "seed" in wish ? `seed ${wish.seed}` : "a seed that is drawn",
    lines.length && `then ${lines.length} ${lines.length === 1 ? "line is" : "lines are"} done`,
  ].filter(Boolean).join(", ");
}
