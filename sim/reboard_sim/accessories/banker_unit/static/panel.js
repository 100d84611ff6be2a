// The banker unit: its cards, display and keypad.

import { bankCards } from "./cards.js";
import { display } from "./display.js";
import { keypad } from "./keypad.js";

export default async function bankerUnit() {
  const parts = [await bankCards(), display(), keypad()];

  return {
    hardware(looks) {
      parts.forEach((part) => part.hardware(looks));
    },
    table(snapshot) {
      parts.forEach((part) => part.table?.(snapshot));
    },
  };
}
