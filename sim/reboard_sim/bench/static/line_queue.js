// Sends lines of a play to the bench. Each queue keeps its order; queues run side by side.

import { NO_ANSWER } from "./connection.js";
import { posted, request } from "./request.js";

const MOST_LINES = 100; // in one request, each with a wait before it
const RETRY_MS = 1000;
const RESULTS = { 202: "queued", 409: "gone", 503: "full" };
const NOTHING = { at: 0, doneAt: 0 };

const page = Math.random().toString(36).slice(2);

let count = 0;
let done = () => {};
let rejected = () => {};
let queued = () => {};
let refused = "";

/**
 * Call `onDone(table)` after each request, and `onRejected(sentence, lang)` after one that fails. Call `onQueued()` after one that
 * waits because the table is paused.
 */
export function watchLines(onDone, onRejected, onQueued) {
  done = onDone;
  rejected = onRejected;
  queued = onQueued;
}

/** From now on, send no lines, and reject all with the sentence `why`. */
export function refuseLines(why) {
  refused = why;
}

/**
 * Create a queue. Returns a function that sends its lines after all lines given to it before.
 *
 * `prepare(waiting, before)` turns the waiting lines ({ line, at }) into the lines to send ({ line, place }). `before` says
 * when the last line was given (`at`) and carried out (`doneAt`; null: the table is paused). By default, nothing changes.
 */
export function lineQueue(prepare = (waiting) => waiting.map(({ line }, place) => ({ line, place }))) {
  const waiting = [];
  const name = newName(); // while the table is paused, the bench answers lines before it carries them out, and keeps their order
  let busy = false;
  let before = NOTHING;

  async function work() {
    busy = true;
    while (waiting.length) {
      const taken = waiting.splice(0, MOST_LINES);
      const sent = prepare(taken, before);
      const answer = await send(sent.map(({ line }) => line), name);
      if (answer.result === "full") {
        waiting.unshift(...taken);
        await new Promise((again) => setTimeout(again, RETRY_MS));
      } else if (answer.result === "gone") {
        waiting.length = 0; // the lines were for a table that is closed
      } else {
        const last = answer.line ? sent[answer.line - 1].place : taken.length - 1;
        before = { at: taken[last].at, doneAt: answer.result === "queued" ? null : performance.now() };
        // the lines after a failed line are carried out: they release held keys
        waiting.unshift(...taken.slice(last + 1));
      }
    }
    busy = false;
  }

  return (...lines) => {
    if (refused) {
      rejected(refused);
      return;
    }
    const at = performance.now();
    waiting.push(...lines.map((line) => ({ line, at })));
    if (!busy) void work();
  };
}

function newName() {
  count += 1;
  return `${page} ${count}`;
}

/** Send the lines. Returns the `result` (undefined: done), and the number of the `line` that failed. */
async function send(lines, name) {
  try {
    const waits = lines.map((line) => Number(/^\s*wait\s+([\d.]+)/.exec(line)?.[1] ?? 0));
    const response = await request("api/bench/do", {
      ...posted({ lines, hand: name }),
      what: lines.at(-1),
      takes_s: waits.reduce((sum, wait) => sum + wait, 0),
      keepalive: true,
    });
    const answer = await response.json();
    if (response.ok) done(answer);
    else rejected(answer.error, "en");
    const result = RESULTS[response.status];
    if (result === "queued") queued();
    return { result, line: response.ok ? null : answer.line };
  } catch {
    rejected(NO_ANSWER);
    return {};
  }
}
