// The panel of the question block.

import { chart } from "/static/chart.js";
import { element, show } from "/static/element.js";
import { text, withCurrency } from "/static/text.js";
import { pops } from "./pops.js";

import { outcome } from "./words.js";

/** The outcomes whose amounts the rows of the die need. */
const ON_DIE = ["coins", "laugh", "game_over"];

export default function questionBlock({ act }) {
  const art = document.getElementById("block-art");
  const label = document.getElementById("outcome");
  const quiet = document.getElementById("quiet");
  const odds = chart(document.getElementById("odds"), "odds");
  const pop = pops(document.getElementById("pops"));
  let isQuiet = false;

  quiet.addEventListener("change", async () => {
    if (await act("quiet", { on: quiet.checked })) quiet.checked = isQuiet;
  });

  return {
    usesEdition: true,
    table({ block, rules }) {
      if (label.textContent !== outcome(block.last)) label.textContent = outcome(block.last);
      isQuiet = quiet.checked = block.quiet;
      show("is-quiet", isQuiet);
      const wasPressed = Object.values(block.tally).flat().some((count) => count > 0);
      odds(wasPressed ? [block.tally, block.odds] : null, text("The number of each outcome, beside the expected number"));
      const worth = rules?.outcomes?.block ?? {};
      const isComplete = ON_DIE.every((outcome) => outcome in worth); // an edition of one's own can leave some out
      show("without-block", isComplete);
      if (isComplete) document.getElementById("die").replaceChildren(...dieRows(rules));
    },
    event(event, isPast) {
      if (isPast) return;
      if (event.event === "lamp" && event.device === "block.lamp") art.classList.toggle("glowing", event.on);
      if (event.event === "sound") pop(event.name);
    },
    connection(state) {
      if (state !== "live") art.classList.remove("glowing");
    },
  };
}

/** What a family rolls when the block is silent, by the rule book. */
function dieRows({ outcomes: { block }, currency }) {
  const amount = (outcome) => withCurrency(block[outcome].replace("-", ""), currency);
  const rows = [
    ["1, 2", text("Roll again: the bank pays you {coin} for each pip", { coin: amount("coins") })],
    ["3, 4", text("Pay {amount} to the bank", { amount: amount("laugh") })],
    ["5", text("Roll and move again")],
    ["6", text("Pay {amount} to the bank", { amount: amount("game_over") })],
  ];
  return rows.map(([roll, effect]) => {
    const row = element("tr");
    const head = element("th", roll);
    head.scope = "row";
    row.append(head, element("td", effect));
    return row;
  });
}
