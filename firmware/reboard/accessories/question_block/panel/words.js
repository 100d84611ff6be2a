// The words for the question block.

import { plural, text } from "/static/text.js";
import { outcomeName } from "/static/words.js";

export const kinds = { "block.pressed": "detail" };

/** An outcome in words; null before the first press. */
export function outcome(last) {
  if (!last) return text("not pressed yet");
  return last.outcome === "coins" ? plural("1 coin", "{n} coins", last.coins) : outcomeName(last.outcome);
}

export const parts = { block: text("question block") };

export const sentences = {
  "block.pressed": () => text("question block pressed"),
  "block.outcome": (event) => text("question block: {outcome}", { outcome: outcome(event) }),
  quiet: ({ on }) => (on ? text("question block: quiet mode on") : text("question block: quiet mode off")),
};
