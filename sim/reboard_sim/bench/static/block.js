// The question block.

import { pops } from "/static/pops.js";

import { fingers } from "./fingers.js";
import { holdable } from "./held.js";

const SAYS = {
  coins: (n) => (n === 1 ? "1 coin" : `${n} coins`),
  power_up: () => "Power-up: roll and move again",
  laugh: () => "A laugh: pay the bank",
  game_over: () => "Game over: pay more",
};

export function questionBlock() {
  const button = document.getElementById("block-button");
  const pop = pops(document.getElementById("pops"));
  const says = document.getElementById("block-says");
  const act = fingers();

  holdable(button, {
    press: () => act("hold block"),
    release: () => act("release block"),
    tap: () => act("press block"),
  });

  function tell(last) {
    says.textContent = last ? SAYS[last.outcome](last.coins) : "Press me";
  }

  return {
    hardware({ lamp, button: down }) {
      button.classList.toggle("glowing", lamp);
      button.classList.toggle("down", down);
    },
    event(event) {
      if (event.event === "sound") pop(event.name);
      if (event.event === "block.outcome") tell(event);
    },
    table({ block, powered }) {
      if (powered) tell(block?.last);
      else says.textContent = "Switched off";
    },
  };
}
