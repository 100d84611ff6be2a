// Hands at the table: lines of a play, sent one after the other. What different hands do, they do at the same time.

import { NO_ANSWER } from "./connection.js";

const MOST_ASKED = 100; // lines at a time, each with a wait before it
const RHYTHM_MS = 100; // a longer pause than that need not be kept when the table is late

const page = Math.random().toString(36).slice(2);

let count = 0;
let done = () => {};
let refused = () => {};

/** Tell `onDone(table)` after each thing done, and `onRefused(sentence)` when one cannot be done. */
export function watchHands(onDone, onRefused) {
  done = onDone;
  refused = onRefused;
}

/**
 * A new hand: a function that does lines after all that it was asked to do before.
 *
 * However late the table comes to them, it is given them in the rhythm in which they were asked for: a key that was down
 * for a moment is, and is not up again before the table has seen it.
 */
export function hand() {
  const waiting = [];
  const name = newName(); // while the clock stands, lines are answered before they are done: the bench keeps the order
  let busy = false;
  let before = { at: 0, doneAt: 0 }; // the line that was asked for last of those that are done, or wait for the clock

  async function work() {
    busy = true;
    while (waiting.length) {
      const asked = waiting.splice(0, MOST_ASKED);
      const { lines, places } = inRhythm(asked, before);
      const { line, waits } = await send(lines, name);
      const failed = line ? places[line - 1] + 1 : asked.length;
      before = { at: asked[failed - 1].at, doneAt: waits ? null : performance.now() };
      // what follows a line that cannot be done is done all the same: a key that was held is let go
      waiting.unshift(...asked.slice(failed));
    }
    busy = false;
  }

  return (...lines) => {
    const at = performance.now();
    waiting.push(...lines.map((line) => ({ line, at })));
    if (!busy) void work();
  };
}

/** What was asked for, with waits in between, and for each line whose place it has. */
function inRhythm(asked, before) {
  const lines = [];
  const places = [];
  let last = before.at;
  let gone = before.doneAt === null ? 0 : performance.now() - before.doneAt;
  asked.forEach(({ line, at }, place) => {
    const wait = Math.round(Math.min(at - last, RHYTHM_MS) - gone);
    if (wait > 0) lines.push(`wait ${wait / 1000}`);
    lines.push(line);
    while (places.length < lines.length) places.push(place);
    last = at;
    gone = 0;
  });
  return { lines, places };
}

function newName() {
  count += 1;
  return `${page} ${count}`;
}

/** Send the lines: the number of the `line` that cannot be done, if there is one, and whether all `waits` for the clock. */
async function send(lines, name) {
  try {
    const answer = await fetch("/api/bench/do", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ lines, hand: name }),
      keepalive: true,
    });
    const told = await answer.json();
    if (answer.ok) done(told);
    else refused(told.error);
    return { line: answer.ok ? undefined : told.line, waits: answer.status === 202 };
  } catch {
    refused(NO_ANSWER);
    return {};
  }
}
