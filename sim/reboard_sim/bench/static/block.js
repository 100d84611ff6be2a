// The question block.

import { shape } from "./art.js";
import { hand } from "./hands.js";
import { holdable } from "./held.js";

const POP_MS = 900;
const MARKS = {
  coin: "M16 9v14M16 9h-2.5",
  power_up: "M16 24V9m-6.5 6.5L16 9l6.5 6.5",
  laugh: "M10 17.5q6 7.5 12 0M12 11.5v1.5M20 11.5v1.5",
  game_over: "M11 11l10 10M21 11l-10 10",
};
const SAYS = {
  coins: (n) => (n === 1 ? "1 coin" : `${n} coins`),
  power_up: () => "Power-up: roll and move again",
  laugh: () => "A laugh: pay the bank",
  game_over: () => "Game over: pay more",
};

export function questionBlock() {
  const button = document.getElementById("block-button");
  const pops = document.getElementById("pops");
  const says = document.getElementById("block-says");
  const act = hand();

  holdable(button, {
    press: () => act("hold block"),
    release: () => act("release block"),
    tap: () => act("press block"),
  });

  function pop(sound) {
    const svg = shape("svg", { viewBox: "0 0 32 32" });
    svg.append(
      shape("circle", { cx: 16, cy: 16, r: 14.5, fill: "#ffcf66", stroke: "#c77f1c", "stroke-width": 2.5 }),
      shape("path", { d: MARKS[sound], fill: "none", stroke: "#8a4a0c", "stroke-width": 3, "stroke-linecap": "round" }),
    );
    const holder = document.createElement("span");
    holder.className = "pop";
    holder.append(svg);
    pops.append(holder);
    setTimeout(() => holder.remove(), POP_MS);
  }

  function tell(last) {
    says.textContent = last ? SAYS[last.outcome](last.coins) : "Press me";
  }

  return {
    hardware({ lamp, button: down }) {
      button.classList.toggle("glowing", lamp);
      button.classList.toggle("down", down);
    },
    event(event) {
      if (event.event === "sound" && event.name in MARKS) pop(event.name);
      if (event.event === "block.outcome") tell(event);
    },
    table({ block, powered }) {
      if (powered) tell(block?.last);
      else says.textContent = "Switched off";
    },
  };
}
