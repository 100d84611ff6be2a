// The words for the question block.

import { word } from "/static/words.js";

export const kinds = { "block.pressed": "detail" };

/** An outcome in words; null before the first press. */
export function outcome(last) {
  if (!last) return word("outcomes", "none");
  if (last.outcome === "coins") return word("outcomes", "coins")(last.coins);
  return word("outcomes", last.outcome) ?? last.outcome;
}

export default {
  en: {
    texts: {
      block: "Question block",
      blockQuiet: "Quiet mode: the lamp shows the outcome.",
      blockQuietMode: "Quiet block",
      blockOdds: "The number of each outcome, beside the expected number",
      blockSilent: "Playing without the block",
      blockDie: ({ laugh, gameOver, coin }) => [
        ["1, 2", `Roll again: the bank pays you ${coin} for each pip`],
        ["3, 4", `Pay ${laugh} to the bank`],
        ["5", "Roll and move again"],
        ["6", `Pay ${gameOver} to the bank`],
      ],
      blockRoll: "Roll a die:",
    },
    parts: { block: "question block" },
    requests: { quiet: "quiet mode" },
    outcomes: {
      none: "not pressed yet",
      coins: (n) => (n === 1 ? "1 coin" : `${n} coins`),
      power_up: "power-up",
      laugh: "laugh",
      game_over: "game over",
    },
    sentences: {
      "block.pressed": () => "question block pressed",
      "block.outcome": (event) => `question block: ${outcome(event)}`,
      quiet: ({ on }) => `question block: quiet mode ${on ? "on" : "off"}`,
    },
  },
  de: {
    texts: {
      block: "Fragezeichenblock",
      blockQuiet: "Stiller Modus: Die Lampe zeigt das Ergebnis.",
      blockQuietMode: "Block ohne Ton",
      blockOdds: "Wie oft jedes Ergebnis kam, im Vergleich zum Erwarteten",
      blockSilent: "Spielen ohne den Block",
      blockDie: ({ laugh, gameOver, coin }) => [
        ["1, 2", `Noch einmal würfeln: ${coin} je Auge von der Bank`],
        ["3, 4", `${laugh} an die Bank`],
        ["5", "Noch einmal würfeln und ziehen"],
        ["6", `${gameOver} an die Bank`],
      ],
      blockRoll: "Würfeln:",
    },
    parts: { block: "Fragezeichenblock" },
    requests: { quiet: "stiller Modus" },
    outcomes: {
      none: "noch nicht gedrückt",
      coins: (n) => (n === 1 ? "1 Münze" : `${n} Münzen`),
      power_up: "Power-up",
      laugh: "Lachen",
      game_over: "Game over",
    },
    sentences: {
      "block.pressed": () => "Fragezeichenblock gedrückt",
      "block.outcome": (event) => `Fragezeichenblock: ${outcome(event)}`,
      quiet: ({ on }) => `Fragezeichenblock: stiller Modus ${on ? "an" : "aus"}`,
    },
  },
};
