// What the rule book says of money, to look up while playing; and what to roll when the block is silent.

import { withCurrency } from "./amounts.js";
import { element, show } from "./element.js";
import { spoken, text } from "./language.js";

export function rules() {
  const facts = document.getElementById("facts");
  const notes = document.getElementById("notes");
  const die = document.getElementById("die");

  return {
    table(table) {
      const { rules: now } = table;
      const isPlayed = now != null && (table.deal != null || table.block != null);
      show("rules", isPlayed);
      if (!isPlayed) return;
      const money = (shown) => withCurrency(shown, table);
      facts.replaceChildren(...rows(now, money).flatMap(([what, is]) => [element("dt", text(what)), element("dd", is)]));
      notes.replaceChildren(...sentences(now.notes).map((note) => element("li", note)));
      show("silent", now.block != null);
      if (now.block == null) return;
      const { coin, laugh, game_over: gameOver } = now.block;
      const worth = { coin: money(coin), laugh: money(laugh), gameOver: money(gameOver) };
      die.replaceChildren(...text("die", worth).map(row));
    },
  };
}

function rows(now, money) {
  const step = now.auction.step === null ? "" : text("step", { step: money(now.auction.step) });
  const interest = now.mortgage_interest_percent;
  const { fewest, most } = now.players;
  return [
    ["start", money(now.start)],
    ["salary", money(now.salary)],
    ["jail", money(now.jail_fee)],
    ["auction", (now.auction.opening === null ? text("anyBid") : money(now.auction.opening)) + step],
    ["mortgage", interest === null ? text("onTheDeed") : `${interest} %`],
    ["playerCount", fewest === most ? String(most) : `${fewest}–${most}`],
  ];
}

/** In the reader's language; better in another one than not at all. */
function sentences(notes) {
  return [notes[spoken()], ...Object.values(notes)].find((written) => written?.length) ?? [];
}

function row([rolled, what]) {
  const line = element("tr");
  const head = element("th", rolled);
  head.scope = "row";
  line.append(head, element("td", what));
  return line;
}
