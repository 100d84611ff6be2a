// The deal: that it runs, and how it ended. The time left is secret. A phone with a card and the host start and cancel it.

import { show, showMessage } from "/static/element.js";
import { text } from "/static/text.js";

import { whyNotAsked } from "./sending.js";

const ENDS = { "deal.ended": "dealEnded", "deal.cancelled": "dealCancelled" };
const WORDS = { dealRunning: text("Auction! Any bids?"), dealEnded: text("Going, going, gone!"), dealCancelled: text("Auction cancelled") };
const END_MS = 6000;

export function deal(act, ask) {
  const buttons = document.querySelectorAll("[data-auction]");
  const banner = document.getElementById("deal");
  let isRunning = false;
  let end = "";
  let timer = 0;

  function draw() {
    const state = isRunning ? "dealRunning" : end;
    banner.dataset.state = state;
    show("deal", Boolean(state));
    const words = WORDS[state] ?? "";
    if (banner.textContent !== words) banner.textContent = words;
    for (const button of buttons) button.textContent = isRunning ? text("Cancel the auction") : text("Auction");
  }

  for (const button of buttons) {
    button.addEventListener("click", async () => {
      const on = { on: !isRunning };
      if (button.closest("#game-controls")) await act("auction", on);
      else showMessage(document.getElementById("pay-problem"), whyNotAsked(await ask("auction", on)));
    });
  }

  return {
    table({ deal: now }) {
      isRunning = Boolean(now?.running);
      if (isRunning) end = "";
      draw();
    },
    connection(state) {
      if (state === "live") return;
      isRunning = false;
      draw();
    },
    event({ event }, isPast) {
      if (isPast || !(event in ENDS)) return;
      isRunning = false;
      end = ENDS[event];
      clearTimeout(timer);
      timer = setTimeout(() => {
        end = "";
        draw();
      }, END_MS);
      draw();
    },
  };
}
