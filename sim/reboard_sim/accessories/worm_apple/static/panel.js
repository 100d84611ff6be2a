// The worm apple: its lever, its worms, and its state.

import { worms } from "/static/worms.js";

import { lever } from "./lever.js";

export default function wormApple() {
  const says = document.getElementById("apple-says");
  const knob = lever();
  const dancers = worms();

  return {
    hardware({ devices }) {
      knob.show(Boolean(devices["apple.lever"]));
      dancers.hardware({ motor: devices["apple.motor"] });
    },
    table({ apple, powered }) {
      if (!powered) says.textContent = "Switched off";
      else if (apple?.running) says.textContent = "They wriggle: take one worm at a time";
      else says.textContent = apple?.wound ? "Wound: let go" : "Pull the lever all the way back, and let go";
    },
  };
}
