// The panel of the question block.

import { chart } from "/static/chart.js";
import { element, show } from "/static/element.js";
import { text } from "/static/language.js";
import { pops } from "./pops.js";

import { outcome } from "./words.js";

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
      odds(wasPressed ? [block.tally, block.odds] : null, text("blockOdds"));
      show("without-block", Boolean(rules?.outcomes?.block));
      if (rules?.outcomes?.block) document.getElementById("die").replaceChildren(...dieRows(rules));
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
  const amount = (outcome) => currency + block[outcome].replace("-", "");
  const amounts = { coin: amount("coins"), laugh: amount("laugh"), gameOver: amount("game_over") };
  return text("blockDie", amounts).map(([roll, effect]) => {
    const row = element("tr");
    const head = element("th", roll);
    head.scope = "row";
    row.append(head, element("td", effect));
    return row;
  });
}
