// Events in words.

const OUTCOMES = { power_up: "power-up", laugh: "a laugh", game_over: "game over" };
const SLOTS = { left: "left", right: "right" };

function whom(account) {
  return account === "bank" ? "the bank" : `card ${account}`;
}

function amount(n) {
  return n.toLocaleString("en");
}

const SENTENCES = {
  "block.pressed": () => "Question block pressed",
  "block.outcome": ({ outcome, coins }) => `Question block: ${outcome === "coins" ? (coins === 1 ? "1 coin" : `${coins} coins`) : OUTCOMES[outcome]}`,
  "card.inserted": ({ slot, number }) => `${number ? `Card ${number}` : "An unknown card"} into the ${SLOTS[slot]} slot`,
  "card.removed": ({ slot, number }) => `${number ? `Card ${number}` : "The unknown card"} out of the ${SLOTS[slot]} slot`,
  transfer: ({ from, to, amount: n, reason, undoes }) => `${undoes ? "Taken back: " : ""}${amount(n)} from ${whom(from)} to ${whom(to)} (${reason})`,
  refused: ({ why }) => `Refused: ${why}`,
  "game.started": () => "A new game",
  "deal.started": () => "The deal timer runs",
  "deal.tick": () => "tick",
  "deal.ended": () => "Sold! The deal is over",
  "deal.cancelled": () => "The deal is called off",
  "apple.wound": () => "The apple is wound",
  "apple.started": ({ seconds }) => `The worms wriggle for ${seconds} s`,
  "apple.stopped": () => "The worms stop",
  sound: ({ name }) => `sound ${name}`,
  lamp: ({ on }) => `lamp ${on ? "on" : "off"}`,
  motor: ({ level }) => `motor at ${Math.round(level * 100)} %`,
  display: ({ lines }) => `display “${lines.map((line) => line.trimEnd()).join(" ⏐ ")}”`,
  volume: ({ level }) => `Volume ${level}`,
  quiet: ({ on }) => `Quiet mode ${on ? "on" : "off"}`,
  fault: ({ part, cause }) => `${part}: ${cause}`,
  recovered: ({ part }) => `${part} works again`,
};

const WIRES = new Set(["deal.tick", "sound", "lamp", "motor", "display", "block.pressed"]);
const MOODS = { fault: "bad", refused: "bad", recovered: "good" };

/** An event as `{ text, mood }`; the mood is wire, bad, good or empty. */
export function sentence(event) {
  const text = (SENTENCES[event.event] ?? (() => event.event))(event);
  return { text, mood: WIRES.has(event.event) ? "wire" : (MOODS[event.event] ?? "") };
}
