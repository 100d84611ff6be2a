// The words for the speed die.

const MR = { mr_monopoly: "Mr. Monopoly" };
const DE = { ...MR, bus: "Bus" };

const named = (dice, names) => dice.map((each) => names[each] ?? each).join(" + ");
/** The number for the rent of a utility: bus and Mr. Monopoly count 0. */
const total = (dice) => dice.split(" ").reduce((sum, each) => sum + (Number(each) || 0), 0);
/** The meaning of the dice. The speed die counts unless the player goes to jail, or to any space, or pays rent. */
const meaning = (means, { die: { dice } }, names) => {
  if (means === "rent") return `${names.rent}: ${total(dice)}`;
  return [names[means], ["jail", "triple"].includes(means) ? "" : names[dice?.split(" ").at(-1)]].filter(Boolean).join("; ");
};
const rolled = ({ white, red }, names) => named([...white, ...(red ? [red] : [])], names);

export const kinds = { "die.double": "good", "die.triple": "good", "die.jail": "bad" };

export default {
  en: {
    parts: { die: "speed die" },
    labels: {
      "die.mode": "Mode", "die.dice": "Dice", "die.means": "Meaning", "die.doubles": "Doubles in a row",
    },
    values: {
      "die.mode": (mode) => ({ speed: "two dice and the speed die", two: "two dice", one: "one die" })[mode],
      "die.dice": (dice) => dice && named(dice.split(" "), MR),
      "die.means": (means, table) => meaning(means, table, {
        double: "double",
        triple: "triple: move to any space",
        jail: "go to jail",
        rent: "roll for a utility's rent",
        bus: "move by one white die, or by both",
        mr_monopoly: "move, then go on to the next unowned property; if all are owned, to the next of another player",
      }),
    },
    sentences: {
      "die.rolled": (event) => `rolled ${rolled(event, MR)}`,
      "die.double": () => "a double",
      "die.triple": () => "a triple: move to any space",
      "die.jail": () => "the third double in a row: go to jail",
      "die.rent": ({ total }) => `for a utility's rent: ${total}`,
    },
  },
  de: {
    parts: { die: "Tempowürfel", "die's button": "Knopf des Tempowürfels", "die's LED matrix": "LED-Matrix des Tempowürfels" },
    labels: {
      "die.mode": "Modus", "die.dice": "Würfel", "die.means": "Bedeutung", "die.doubles": "Pasche nacheinander",
    },
    values: {
      "die.mode": (mode) => ({ speed: "zwei Würfel und der Tempowürfel", two: "zwei Würfel", one: "ein Würfel" })[mode],
      "die.dice": (dice) => dice && named(dice.split(" "), DE),
      "die.means": (means, table) => meaning(means, table, {
        double: "Pasch",
        triple: "Dreierpasch: auf ein beliebiges Feld",
        jail: "ins Gefängnis",
        rent: "Wurf für die Miete eines Versorgungswerks",
        bus: "mit einem weißen Würfel ziehen, oder mit beiden",
        mr_monopoly: "ziehen, dann weiter zum nächsten freien Grundstück; ist keines frei, zum nächsten eines Mitspielers",
      }),
    },
    sentences: {
      "die.rolled": (event) => `gewürfelt: ${rolled(event, DE)}`,
      "die.double": () => "ein Pasch",
      "die.triple": () => "ein Dreierpasch: auf ein beliebiges Feld",
      "die.jail": () => "der dritte Pasch hintereinander: ins Gefängnis",
      "die.rent": ({ total }) => `für die Miete eines Versorgungswerks: ${total}`,
    },
  },
};
