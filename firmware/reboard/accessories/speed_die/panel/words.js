// The words for the speed die.

const dice = ({ white, red }, names) => [...white, ...(red ? [names[red] ?? red] : [])].join(" + ");

export const kinds = { "die.double": "good", "die.triple": "good", "die.jail": "bad" };

export default {
  en: {
    parts: { die: "speed die" },
    sentences: {
      "die.rolled": (event) => `rolled ${dice(event, { mr_monopoly: "Mr. Monopoly" })}`,
      "die.double": () => "a double",
      "die.triple": () => "a triple: move to any space, and the turn ends",
      "die.jail": () => "the third double in a row: go to jail",
    },
  },
  de: {
    parts: { die: "Tempowürfel" },
    sentences: {
      "die.rolled": (event) => `gewürfelt: ${dice(event, { bus: "Bus", mr_monopoly: "Mr. Monopoly" })}`,
      "die.double": () => "ein Pasch",
      "die.triple": () => "ein Dreierpasch: auf ein beliebiges Feld, und der Zug endet",
      "die.jail": () => "der dritte Pasch hintereinander: ins Gefängnis",
    },
  },
};
