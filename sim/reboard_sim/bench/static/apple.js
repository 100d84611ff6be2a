// The worm apple: its lever, its worms, and what it is doing.

import { worms } from "/static/worms.js";

import { lever } from "./lever.js";

export function wormApple() {
  const says = document.getElementById("apple-says");
  const parts = [lever(), worms()];

  return {
    hardware(now) {
      parts.forEach((part) => part.hardware(now));
    },
    table({ apple, powered }) {
      if (!powered) says.textContent = "Switched off";
      else if (apple?.running) says.textContent = "They wriggle: take one worm at a time";
      else says.textContent = apple?.wound ? "Wound: let go" : "Pull the lever all the way back, and let go";
    },
  };
}
