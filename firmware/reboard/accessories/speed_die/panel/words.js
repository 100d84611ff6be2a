// The words for the speed die.

import { text } from "/static/text.js";

const NAMES = { mr_monopoly: "Mr. Monopoly", bus: text("bus") };
const MODES = { speed: text("two dice and the speed die"), two: text("two dice"), one: text("one die") };
const MEANINGS = {
  double: text("double"),
  triple: text("triple: move to any space"),
  jail: text("go to jail"),
  bus: text("move by one white die, or by both"),
  mr_monopoly: text("move, then go on to the next unowned property; if all are owned, to the next of another player"),
};

const named = (dice) => dice.map((each) => NAMES[each] ?? each).join(" + ");

/** The number for the rent of a utility: bus and Mr. Monopoly count 0. */
const total = (dice) => dice.split(" ").reduce((sum, each) => sum + (Number(each) || 0), 0);

/** The meaning of the dice. The speed die counts unless the player goes to jail, or to any space, or pays rent. */
function meaning(means, { die: { dice } }) {
  if (means === "rent") return text("roll for a utility's rent: {total}", { total: total(dice) });
  return [MEANINGS[means], ["jail", "triple"].includes(means) ? "" : MEANINGS[dice?.split(" ").at(-1)]].filter(Boolean).join("; ");
}

export const kinds = { "die.double": "good", "die.triple": "good", "die.jail": "bad" };

export const parts = { die: text("speed die"), "die's button": text("die's button"), "LED dice": text("LED dice") };

export const labels = {
  "die.mode": text("Mode"), "die.dice": text("Dice"), "die.means": text("Meaning"), "die.doubles": text("Doubles in a row"),
};

export const values = {
  "die.mode": (mode) => MODES[mode],
  "die.dice": (dice) => dice && named(dice.split(" ")),
  "die.means": meaning,
};

export const sentences = {
  "die.rolled": ({ white, red }) => text("rolled {dice}", { dice: named([...white, ...(red ? [red] : [])]) }),
  "die.double": () => text("a double"),
  "die.triple": () => text("a triple: move to any space"),
  "die.jail": () => text("the third double in a row: go to jail"),
  "die.rent": ({ total: rent }) => text("for a utility's rent: {total}", { total: rent }),
};
