// The words for the worm apple.

import { spoken, text } from "/static/text.js";

/** The state of the apple in words. */
export function appleState({ running, wound }) {
  if (running) return text("The worms are dancing");
  return wound ? text("Wound up: let go!") : text("Not wound up");
}

export const parts = { apple: text("worm apple") };

export const sentences = {
  "apple.wound": () => text("the apple is wound up"),
  "apple.started": ({ seconds }) => text("the worms dance for {seconds} s", { seconds: seconds.toLocaleString(spoken()) }),
  "apple.stopped": () => text("the worms stop"),
};
