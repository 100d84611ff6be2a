// Hands of the user: each sends its lines one after the other, and different hands work at the same time.

import { NO_ANSWER } from "./connection.js";

const MOST_ASKED = 100; // at a time: lines, each with a wait before it
const RETRY_MS = 1000;
const MEANINGS = { 202: "waits", 409: "gone", 503: "full" };
const NOTHING = { at: 0, doneAt: 0 };

const page = Math.random().toString(36).slice(2);

let count = 0;
let done = () => {};
let refused = () => {};

/** Call `onDone(table)` after each request, and `onRefused(sentence)` after one that fails. */
export function watchHands(onDone, onRefused) {
  done = onDone;
  refused = onRefused;
}

/**
 * A new hand: a function that does lines after all that it was asked to do before.
 *
 * `lines(asked, before)` makes of what it was asked ({ line, at }) what the table is told ({ line, place }), knowing when
 * what was done `before` was asked for and done (`doneAt`; null: it waits). Unless said, that is what was asked.
 */
export function hand(lines = (asked) => asked.map(({ line }, place) => ({ line, place }))) {
  const waiting = [];
  const name = newName(); // while the table is paused, the bench answers lines before it carries them out, and keeps their order
  let busy = false;
  let before = NOTHING;

  async function work() {
    busy = true;
    while (waiting.length) {
      const asked = waiting.splice(0, MOST_ASKED);
      const told = lines(asked, before);
      const answer = await send(told.map(({ line }) => line), name);
      if (answer.is === "full") {
        waiting.unshift(...asked);
        await new Promise((again) => setTimeout(again, RETRY_MS));
      } else if (answer.is === "gone") {
        waiting.length = 0; // the lines were for a table that is closed
      } else {
        const last = answer.line ? told[answer.line - 1].place : asked.length - 1;
        before = { at: asked[last].at, doneAt: answer.is === "waits" ? null : performance.now() };
        // the lines after a failed line are carried out: they release held keys
        waiting.unshift(...asked.slice(last + 1));
      }
    }
    busy = false;
  }

  return (...asked) => {
    const at = performance.now();
    waiting.push(...asked.map((line) => ({ line, at })));
    if (!busy) void work();
  };
}

function newName() {
  count += 1;
  return `${page} ${count}`;
}

/** Send the lines. What it `is`: done, or it waits, or is full, or the table is gone; and the `line` that cannot be done. */
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
    return { is: MEANINGS[answer.status], line: answer.ok ? null : told.line };
  } catch {
    refused(NO_ANSWER);
    return {};
  }
}
