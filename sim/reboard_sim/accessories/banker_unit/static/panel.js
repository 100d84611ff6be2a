// The banker unit: its cards, display and keypad.

import { bankCards } from "./cards.js";
import { display } from "./display.js";
import { keypad } from "./keypad.js";

export default function bankerUnit() {
  const parts = [bankCards(), display(), keypad()];

  return {
    hardware(state) {
      parts.forEach((part) => part.hardware(state));
    },
    table(snapshot) {
      parts.forEach((part) => part.table?.(snapshot));
    },
  };
}
