// The question block: its button, its lamp, and its last outcome.

import { caption } from "/static/caption.js";
import { pops } from "/static/panels/block/pops.js";
import { holdable } from "/static/press.js";
import { timedLineQueue } from "/static/timed_line_queue.js";

import { nextStep } from "./next_step.js";

export default function questionBlock() {
  const button = document.getElementById("block-button");
  const pop = pops(document.getElementById("pops"));
  const act = timedLineQueue();

  holdable(button, {
    press: () => act("hold block"),
    release: () => act("release block"),
    tap: () => act("press block"),
  });
  let now = null;
  let last = null;
  let isBooked = false;
  const say = caption("block-says", () => now && nextStep(now, last, isBooked));

  return {
    hardware(state) {
      const { devices } = state;
      button.classList.toggle("glowing", Boolean(devices["block.lamp"]));
      button.classList.toggle("down", Boolean(devices["block.button"]));
      now = state;
      say();
    },
    event(event) {
      if (event.event === "sound") pop(event.name);
      if (event.event === "block.outcome") last = event;
      else if (event.event !== "transfer" || event.reason !== last?.outcome) return;
      isBooked = event.event === "transfer";
      say();
    },
    table({ block, powered, last_transfer: transfer }) {
      if (!powered) return; // without power there is no news
      if (!last) isBooked = transfer?.reason === block?.last?.outcome; // a page that was just opened
      last = block?.last ?? null;
      say();
    },
  };
}
