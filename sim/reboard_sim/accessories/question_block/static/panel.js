// The question block: its button, its lamp, and its last outcome.

import { pops } from "/static/panels/block/pops.js";
import { holdable } from "/static/press.js";
import { timedLineQueue } from "/static/timed_line_queue.js";

const OUTCOMES = {
  coins: (n) => (n === 1 ? "1 coin" : `${n} coins`),
  power_up: () => "Power-up: roll and move again",
  laugh: () => "A laugh: pay the bank",
  game_over: () => "Game over: pay more",
};

export default function questionBlock() {
  const button = document.getElementById("block-button");
  const pop = pops(document.getElementById("pops"));
  const text = document.getElementById("block-says");
  const act = timedLineQueue();

  holdable(button, {
    press: () => act("hold block"),
    release: () => act("release block"),
    tap: () => act("press block"),
  });

  function show(last) {
    text.textContent = last ? OUTCOMES[last.outcome](last.coins) : "Press me";
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
      else text.textContent = "Switched off";
    },
  };
}
