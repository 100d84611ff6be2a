// A queue of lines that keeps the user's timing for keys, buttons and levers that are held, even if the table is late.

import { lineQueue } from "./line_queue.js";

const LONGEST_PAUSE_MS = 100; // with nothing held, a longer pause need not be kept
const HOLDING = ["hold", "pull"];

/** A queue that puts waits between the lines, so that the table holds a key for as long as the user did. */
export function timedLineQueue() {
  const held = new Set();

  function timed(waiting, before) {
    const lines = [];
    let last = before.at;
    let passed = before.doneAt === null ? 0 : performance.now() - before.doneAt;
    waiting.forEach(({ line, at }, place) => {
      const pause = held.size ? at - last : Math.min(at - last, LONGEST_PAUSE_MS);
      const wait = Math.round(pause - passed);
      if (wait > 0) lines.push({ line: `wait ${wait / 1000}`, place });
      lines.push({ line, place });
      const [verb, what] = line.split(" ");
      if (HOLDING.includes(verb)) held.add(what);
      else held.delete(what);
      last = at;
      passed = 0;
    });
    return lines;
  }

  return lineQueue(timed);
}
