// The words for the worm apple.

import { word } from "/static/words.js";

/** The state of the apple in words. */
export function appleState({ running, wound }) {
  return word("apple", running ? "running" : wound ? "wound" : "idle");
}

export default {
  en: {
    texts: { apple: "Worm apple", appleLeft: "Time left", appleSeconds: ({ seconds }) => `${seconds} s` },
    parts: { apple: "worm apple" },
    apple: { running: "The worms are dancing", wound: "Wound up: let go!", idle: "Not wound up" },
    sentences: {
      "apple.wound": () => "the apple is wound up",
      "apple.started": ({ seconds }) => `the worms dance for ${seconds} s`,
      "apple.stopped": () => "the worms stop",
    },
  },
  de: {
    texts: { apple: "Wurmapfel", appleLeft: "Restzeit", appleSeconds: ({ seconds }) => `${seconds} s` },
    parts: { apple: "Wurmapfel" },
    apple: { running: "Die Würmer tanzen", wound: "Aufgezogen: loslassen!", idle: "Nicht aufgezogen" },
    sentences: {
      "apple.wound": () => "der Apfel ist aufgezogen",
      "apple.started": ({ seconds }) => `die Würmer tanzen ${String(seconds).replace(".", ",")} s lang`,
      "apple.stopped": () => "die Würmer halten an",
    },
  },
};
