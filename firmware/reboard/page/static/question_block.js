// The question block: its light, what comes out of it, and what it was.

import { pops } from "/static/pops.js";
import { outcome } from "/static/words.js";

import { show } from "./element.js";

export function questionBlock() {
  const art = document.getElementById("block-art");
  const says = document.getElementById("outcome");
  const pop = pops(document.getElementById("pops"));

  return {
    table({ block }) {
      show("block", block != null);
      if (block == null) return;
      const words = outcome(block.last);
      if (says.textContent !== words) says.textContent = words;
      show("is-quiet", block.quiet);
    },
    event(event, isPast) {
      if (isPast) return;
      if (event.event === "lamp") art.classList.toggle("glowing", event.on);
      if (event.event === "sound") pop(event.name);
    },
    still: () => art.classList.remove("glowing"),
  };
}
