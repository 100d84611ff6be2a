// The worm apple: its lever, its worms, and its state.

import { caption } from "/static/caption.js";
import { worms } from "/static/panels/apple/worms.js";

import { lever } from "./lever.js";
import { nextStep } from "./next_step.js";

export default function wormApple() {
  const knob = lever();
  const wriggling = worms();
  let now = null;
  let apple = null;
  const say = caption("apple-says", () => now && nextStep(now, apple));

  return {
    hardware(state) {
      const { devices } = state;
      knob.show(Boolean(devices["apple.lever"]));
      wriggling.hardware({ motor: devices["apple.motor"] });
      now = state;
      say();
    },
    table(snapshot) {
      apple = snapshot.apple;
      say();
    },
  };
}
