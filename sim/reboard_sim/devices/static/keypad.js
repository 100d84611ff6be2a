// A 4×4 keypad on the bench.

import { holdable } from "/static/press.js";

const KEYS = ["1", "2", "3", "K", "4", "5", "6", "M", "7", "8", "9", "C", ".", "0", "GO", "DEAL"];

export default function keypad({ label }, act) {
  const element = document.createElement("div");
  element.className = "keys-4x4";
  for (const key of KEYS) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = key;
    holdable(button, {
      press: () => act(`hold ${label} ${key}`),
      release: () => act(`release ${label} ${key}`),
      tap: () => act(`tap ${label} ${key}`),
    });
    element.append(button);
  }
  return { element, size: "broad", show() {} };
}
