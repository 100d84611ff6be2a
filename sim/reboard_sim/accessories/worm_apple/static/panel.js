// The worm apple: its lever, its worms, and its state.

import { worms } from "/static/panels/apple/worms.js";

import { lever } from "./lever.js";

export default function wormApple() {
  const text = document.getElementById("apple-says");
  const knob = lever();
  const wriggling = worms();

  return {
    hardware({ devices }) {
      knob.show(Boolean(devices["apple.lever"]));
      wriggling.hardware({ motor: devices["apple.motor"] });
    },
    table({ apple, powered }) {
      if (!powered) text.textContent = "Switched off";
      else if (apple?.running) text.textContent = "They wriggle: take one worm at a time";
      else text.textContent = apple?.wound ? "Wound: let go" : "Pull the lever all the way back, and let go";
    },
  };
}
