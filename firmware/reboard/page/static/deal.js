// The deal: that it runs, and how it ended. Nothing tells how much of it is left.

import { show } from "./element.js";
import { text } from "./language.js";

const ENDS = { "deal.ended": "sold", "deal.cancelled": "calledOff" };
const END_MS = 6000;

export function deal() {
  const banner = document.getElementById("deal");
  let running = false;
  let ended = "";
  let timer = 0;

  function say() {
    const state = running ? "deal" : ended;
    banner.dataset.is = state;
    show("deal", Boolean(state));
    const words = state ? text(state) : "";
    if (banner.textContent !== words) banner.textContent = words;
  }

  return {
    table({ deal: now }) {
      running = Boolean(now?.running);
      if (running) ended = "";
      say();
    },
    still() {
      running = false;
      say();
    },
    event({ event }, isPast) {
      if (isPast || !(event in ENDS)) return;
      running = false;
      ended = ENDS[event];
      clearTimeout(timer);
      timer = setTimeout(() => {
        ended = "";
        say();
      }, END_MS);
      say();
    },
  };
}
