// The banker unit: its cards, display and keypad, and the next step.

import { caption } from "/static/caption.js";
import { text } from "/static/text.js";

import { bankCards } from "./cards.js";
import { display } from "./display.js";
import { keypad } from "./keypad.js";
import { nextStep } from "./next_step.js";

export default function bankerUnit() {
  const cards = bankCards(() => say());
  const parts = [cards, display(), keypad()];
  let now = null;
  let known = {};
  const say = caption("bank-says", () => now && nextStep(now, cards.picked, known));

  return {
    hardware(state) {
      parts.forEach((part) => part.hardware(state));
      now = state;
      say();
    },
    table(snapshot) {
      parts.forEach((part) => part.table?.(snapshot));
      known = snapshot;
      say();
    },
    whyNoDemo({ slots, devices }) {
      if (!devices["bank.left"] || !devices["bank.keypad"]) return text("It needs the left slot and the keypad");
      return Object.values(slots).some((card) => card !== null) ? text("Take the cards out first") : "";
    },
  };
}
