// The worm apple: its lever, its worms, and its state.

import { caption } from "/static/caption.js";
import { worms } from "/static/panels/apple/worms.js";

import { lever } from "./lever.js";
import { nextStep } from "./next_step.js";

const QUIET_MS = 500; // while the motor turns, a state follows thirty times a second

export default function wormApple() {
  const knob = lever();
  const turn = worms();
  let before = null;
  let quiet = 0;
  let now = null;
  let apple = null;
  const say = caption("apple-says", () => now && nextStep(now, apple));

  /** Turn the worms as fast as the motor has turned since the last state. They stop if no state follows. */
  function wriggle(turns, { t, rate }) {
    const turnsPerS = before && t > before.t ? (rate * (turns - before.turns)) / (t - before.t) : 0;
    before = { t, turns };
    turn(turnsPerS, turns);
    clearTimeout(quiet);
    if (turnsPerS > 0) quiet = setTimeout(turn, QUIET_MS, 0);
  }

  return {
    hardware(state) {
      const { devices } = state;
      knob.show(Boolean(devices["apple.lever"]));
      wriggle(devices["apple.motor"]?.turns ?? 0, state);
      now = state;
      say();
    },
    table(snapshot) {
      apple = snapshot.apple;
      say();
    },
  };
}
