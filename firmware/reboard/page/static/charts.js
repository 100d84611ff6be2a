// Charts, drawn by the server. One is asked for again only when there is something new in it.

import { whose, withCurrency } from "./amounts.js";
import { show } from "./element.js";
import { spoken, text } from "./language.js";

const WIDE_PX = 560; // letters keep their size: a narrow chart is another drawing, not a smaller one
const GAP_MS = 1000; // while money moves fast, a chart of each second is enough
const RETRY_MS = 5000;

export function charts() {
  const balances = chart("balances");
  const odds = chart("odds");

  return {
    table(table) {
      const { game, cards = [], transfers = [], block } = table;
      const hasMoved = transfers.length > 0;
      show("chart", hasMoved);
      if (hasMoved) {
        const players = cards.map(({ number, shown }) => `${whose(number, table)} ${withCurrency(shown, table)}`).join(", ");
        const names = cards.map(({ name }) => name).join();
        balances(`${game}-${transfers[0].id}-${names}`, text("chartSays", { players }));
      }
      const wasPressed = Boolean(block) && Object.values(block.tally).flat().some((count) => count > 0);
      show("odds", wasPressed);
      if (wasPressed) odds(JSON.stringify([block.tally, block.odds]), text("oddsSays"));
    },
  };
}

/** A function that shows a chart: `state` is what it depends on, `alt` what it says to whom does not see it. */
function chart(name) {
  const image = document.getElementById(name);
  let drawn = "";
  let wanted = "";
  let state = "";
  let timer = 0;

  function draw() {
    timer = 0;
    if (wanted === drawn) return;
    drawn = image.src = wanted;
    timer = setTimeout(draw, GAP_MS);
  }

  function want() {
    const room = image.parentElement.clientWidth;
    if (!state || !room) return;
    const zone = -new Date().getTimezoneOffset();
    const asked = { lang: spoken(), width: room < WIDE_PX ? 360 : 720, zone, state: hash(state) };
    wanted = `/api/chart/${name}.svg?${new URLSearchParams(asked)}`;
    if (!timer) draw();
  }

  image.addEventListener("error", () => {
    drawn = "";
    clearTimeout(timer);
    timer = setTimeout(draw, RETRY_MS);
  });
  new ResizeObserver(want).observe(image.parentElement);

  return (now, alt) => {
    state = now;
    if (image.alt !== alt) image.alt = alt;
    want();
  };
}

/** A short name for a state: the same one for the same state. */
function hash(state) {
  let sum = 5381;
  for (const letter of state) sum = ((sum * 33) ^ letter.codePointAt(0)) >>> 0;
  return sum.toString(36);
}
