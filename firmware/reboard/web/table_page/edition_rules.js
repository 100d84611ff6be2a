// The edition: the title of the page, and the rules about money, to look up while playing.

import { showTitle } from "./connection.js";
import { element, show } from "./element.js";
import { spoken, text, withCurrency } from "/static/text.js";

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
      facts.replaceChildren(...rows(table.rules).flatMap(([label, value]) => [element("dt", label), element("dd", value)]));
      notes.replaceChildren(...sentences(table.rules.notes).map((note) => element("li", note)));
    },
  };
}

function rows(rules) {
  const money = (shown) => withCurrency(shown, rules.currency);
  const step = rules.auction.step === null ? "" : text(", in steps of {step}", { step: money(rules.auction.step) });
  const interest = rules.mortgage_interest_percent;
  const { fewest, most } = rules.players;
  return [
    [text("Starting money"), money(rules.start)],
    [text("Salary"), money(rules.salary)],
    [text("Out of jail"), money(rules.jail_fee)],
    [text("First bid of an auction"), (rules.auction.opening === null ? text("any bid") : money(rules.auction.opening)) + step],
    [text("Mortgage interest"), interest === null ? text("see the deed") : `${interest} %`],
    [text("Players"), fewest === most ? String(most) : `${fewest}–${most}`],
  ];
}

/** The notes in the language of the page, or else in any. */
function sentences(notes) {
  return [notes[spoken()], ...Object.values(notes)].find((written) => written?.length) ?? [];
}
