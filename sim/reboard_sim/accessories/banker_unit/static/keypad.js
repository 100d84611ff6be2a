// The sixteen keys: on the page, and on the computer's own keyboard.

import { showNotice } from "/static/caption.js";
import { choice } from "/static/choice.js";
import { holdable, pressState } from "/static/press.js";
import { isForTable } from "/static/shortcuts.js";
import { text } from "/static/text.js";
import { timedLineQueue } from "/static/timed_line_queue.js";

const LEGEND = ["1", "2", "3", "K", "4", "5", "6", "M", "7", "8", "9", "C", ".", "0", "GO", "DEAL"];
const SPOKEN = { ".": text("point, or volume"), K: text("K, thousand"), M: text("M, million"), C: text("C, clear"), GO: text("GO, salary"), DEAL: text("DEAL, auction") };
const HINTS = {
  ".": text("The decimal point. Without cards: the volume. Held with a card: its last transfers"),
  K: text("Thousand: enters the amount. In an edition without units it adds two zeros"),
  M: text("Million: enters the amount. In an edition without units it only enters it"),
  C: text("Clears the amount, or takes the last transfer back. Held for 3 s without cards: a new game (key C)"),
  GO: text("Pays the salary to the card on the left. Held for 1.5 s: the menu (key G)"),
  DEAL: text("Starts an auction of 13 to 50 s. C calls it off (key D)"),
};
const NOTICE_MS = 6000;
const TYPED = { k: "K", m: "M", c: "C", backspace: "C", g: "GO", d: "DEAL", ",": "." };

export function keypad() {
  const board = document.getElementById("keypad");
  const act = timedLineQueue();
  const keys = new Map();
  const typed = new Map();

  for (const name of LEGEND) {
    const acts = { press: () => act(`hold ${name}`), release: () => act(`release ${name}`), tap: () => act(`key ${name}`) };
    const key = document.createElement("button");
    key.type = "button";
    key.className = "key";
    key.dataset.key = name;
    key.textContent = name;
    if (SPOKEN[name]) key.setAttribute("aria-label", SPOKEN[name]);
    if (HINTS[name]) key.title = HINTS[name];
    holdable(key, acts);
    board.append(key);
    keys.set(name, key);
    typed.set(name, pressState(acts.press, acts.release));
  }

  const isAnywhere = choice("unit-keys");
  const hasFocus = () => board.closest(".accessory").contains(document.activeElement);
  const keyOf = ({ key }) => typed.get(TYPED[key.toLowerCase()] ?? key);

  document.addEventListener("keydown", (event) => {
    const key = keyOf(event);
    if (!key || keys.get("GO").disabled || event.repeat || !isForTable(event)) return;
    if (isAnywhere() || hasFocus()) key.down();
    else showNotice(document.getElementById("bank-says"), text("Click the unit first to type there, or choose “Use the keyboard” in the sheet “?”"), NOTICE_MS);
  });
  // a pressed key is released even if the focus has moved
  document.addEventListener("keyup", (event) => keyOf(event)?.up());

  return {
    hardware({ devices }) {
      const down = devices["bank.keypad"];
      for (const [name, key] of keys) {
        key.disabled = !down; // no keypad is wired
        key.classList.toggle("down", Boolean(down?.includes(name)));
      }
    },
  };
}
