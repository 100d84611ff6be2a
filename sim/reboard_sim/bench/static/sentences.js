// Events in words.

const OUTCOMES = {
  coins: (n) => (n === 1 ? "1 coin" : `${n} coins`),
  power_up: () => "a power-up",
  laugh: () => "a laugh",
  game_over: () => "game over",
};

const REASONS = {
  start: "the start",
  salary: "GO",
  received: "from the bank",
  paid: "to the bank",
  players: "between players",
  undo: "taken back",
  recovered: "found again",
};

function whom(account) {
  return account === 0 ? "the bank" : `card ${account}`;
}

/** As the unit shows it: 1.5M and 260K in an edition with units, plain digits in others. */
function amount(n, units) {
  if (!units || n === 0) return String(n);
  return n >= 1e6 ? `${n / 1e6}M` : `${n / 1e3}K`;
}

const SENTENCES = {
  "block.pressed": () => "Question block pressed",
  "block.outcome": ({ outcome, coins }) => `Question block: ${OUTCOMES[outcome](coins)}`,
  "card.inserted": ({ slot, number }) => `${number ? `Card ${number}` : "An unknown card"} into the ${slot} slot`,
  "card.removed": ({ slot, number }) => `${number ? `Card ${number}` : "The unknown card"} out of the ${slot} slot`,
  transfer: ({ from, to, amount: n, reason }, units) => `${amount(n, units)} from ${whom(from)} to ${whom(to)}: ${REASONS[reason] ?? reason}`,
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

/** An event as `{ text, mood }`; the mood is wire, bad, good or empty. `units`: whether amounts are told in K and M. */
export function sentence(event, units) {
  const text = (SENTENCES[event.event] ?? (() => event.event))(event, units);
  return { text, mood: WIRES.has(event.event) ? "wire" : (MOODS[event.event] ?? "") };
}
