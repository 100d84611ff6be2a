// The edition: the title of the page, and the rules about money, to look up while playing.

import { showTitle } from "./connection.js";
import { element, show } from "./element.js";
import { spoken, text } from "./language.js";

/** `isUsed()`: whether an accessory of the table plays by the edition. */
export function editionRules(isUsed) {
  const facts = document.getElementById("facts");
  const notes = document.getElementById("notes");

  return {
    table(table) {
      const isShown = table.rules != null && isUsed();
      showTitle(table, isShown);
      show("rules", isShown);
      if (!isShown) return;
      facts.replaceChildren(...rows(table.rules).flatMap(([label, value]) => [element("dt", text(label)), element("dd", value)]));
      notes.replaceChildren(...sentences(table.rules.notes).map((note) => element("li", note)));
    },
  };
}

function rows(rules) {
  const money = (shown) => rules.currency + shown;
  const step = rules.auction.step === null ? "" : text("step", { step: money(rules.auction.step) });
  const interest = rules.mortgage_interest_percent;
  const { fewest, most } = rules.players;
  return [
    ["start", money(rules.start)],
    ["salary", money(rules.salary)],
    ["jail", money(rules.jail_fee)],
    ["auction", (rules.auction.opening === null ? text("anyBid") : money(rules.auction.opening)) + step],
    ["mortgage", interest === null ? text("onTheDeed") : `${interest} %`],
    ["playerCount", fewest === most ? String(most) : `${fewest}–${most}`],
  ];
}

/** The notes in the language of the page, or else in any. */
function sentences(notes) {
  return [notes[spoken()], ...Object.values(notes)].find((written) => written?.length) ?? [];
}
