// The question block: its button, its lamp, and its last outcome.

import { fingers } from "/static/fingers.js";
import { holdable } from "/static/held.js";
import { pops } from "/static/pops.js";

const SAYS = {
  coins: (n) => (n === 1 ? "1 coin" : `${n} coins`),
  power_up: () => "Power-up: roll and move again",
  laugh: () => "A laugh: pay the bank",
  game_over: () => "Game over: pay more",
};

export default function questionBlock() {
  const button = document.getElementById("block-button");
  const pop = pops(document.getElementById("pops"));
  const says = document.getElementById("block-says");
  const act = fingers();

  holdable(button, {
    press: () => act("hold block"),
    release: () => act("release block"),
    tap: () => act("press block"),
  });

  function show(last) {
    says.textContent = last ? SAYS[last.outcome](last.coins) : "Press me";
  }

  return {
    hardware({ devices }) {
      button.classList.toggle("glowing", Boolean(devices["block.lamp"]));
      button.classList.toggle("down", Boolean(devices["block.button"]));
    },
    event(event) {
      if (event.event === "sound") pop(event.name);
      if (event.event === "block.outcome") show(event);
    },
    table({ block, powered }) {
      if (powered) show(block?.last);
      else says.textContent = "Switched off";
    },
  };
}
