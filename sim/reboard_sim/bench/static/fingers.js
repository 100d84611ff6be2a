// Fingers on devices that are held. They keep their rhythm even if the table is late.

import { hand } from "./hands.js";

const LONGEST_PAUSE_MS = 100; // with nothing held, a longer one need not be kept
const TAKES_HOLD = ["hold", "pull"];

/** A hand with fingers: what they held for a moment, or for three seconds, was held so long at the table. */
export function fingers() {
  const held = new Set();

  function inRhythm(asked, before) {
    const lines = [];
    let last = before.at;
    let gone = before.doneAt === null ? 0 : performance.now() - before.doneAt;
    asked.forEach(({ line, at }, place) => {
      const pause = held.size ? at - last : Math.min(at - last, LONGEST_PAUSE_MS);
      const wait = Math.round(pause - gone);
      if (wait > 0) lines.push({ line: `wait ${wait / 1000}`, place });
      lines.push({ line, place });
      const [verb, what] = line.split(" ");
      if (TAKES_HOLD.includes(verb)) held.add(what);
      else held.delete(what);
      last = at;
      gone = 0;
    });
    return lines;
  }

  return hand(inRhythm);
}
