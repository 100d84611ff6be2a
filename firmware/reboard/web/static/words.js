// The table's words, said to people. Every page has them from here: the table page and the bench.

const OUTCOMES = {
  power_up: "a power-up",
  laugh: "a laugh",
  game_over: "game over",
};

const REASONS = {
  start: "the start",
  salary: "passing GO",
  received: "from the bank",
  paid: "to the bank",
  players: "between players",
  bankrupt: "bankrupt",
  undo: "taken back",
  recovered: "found again",
};

const SEEN_BY_HOLDERS = new Set(["received", "paid", "players"]);

const SENTENCES = {
  "block.pressed": () => "The question block is pressed",
  "block.outcome": (last) => `Question block: ${outcome(last)}`,
  "card.inserted": ({ slot, number }) => `${card(number)} into the ${slot} slot`,
  "card.removed": ({ slot, number }) => `${card(number)} out of the ${slot} slot`,
  transfer: (transfer, units) =>
    `${money(transfer.amount, units)} from ${holder(transfer.from)} to ${holder(transfer.to)}${because(transfer)}`,
  refused: ({ why }) => `Refused: ${why}`,
  "game.started": ({ game }) => `Game ${game} begins`,
  "game.resumed": ({ game }) => `Game ${game} goes on`,
  "deal.started": () => "The deal is open",
  "deal.tick": () => "Tick",
  "deal.ended": () => "Sold! The deal is over",
  "deal.cancelled": () => "The deal is called off",
  "apple.wound": () => "The apple is wound",
  "apple.started": ({ seconds }) => `The worms dance for ${seconds} s`,
  "apple.stopped": () => "The worms stop",
  sound: ({ name }) => `Sound: ${name}`,
  lamp: ({ on }) => `Lamp ${on ? "on" : "off"}`,
  motor: ({ level }) => `Motor at ${Math.round(level * 100)} %`,
  display: ({ lines }) => `Display: “${lines.map((line) => line.trimEnd()).join(" ⏐ ")}”`,
  volume: ({ level }) => (level ? `The volume is ${level} of 4` : "The sound is off"),
  quiet: ({ on }) => (on ? "The block is in quiet mode" : "The block may be heard again"),
  fault: ({ part, cause }) => `${part}: ${cause}`,
  recovered: ({ part }) => `${part} works again`,
};

const PASSING = new Set(["motor", "lamp", "display", "sound", "deal.tick"]);
const MOODS = { fault: "bad", refused: "bad", recovered: "good", "block.pressed": "wire" };

const K = 1e3;
const M = 1e6;

/** Whether an event comes in swarms and changes nothing that is known of the table. */
export function isPassing({ event }) {
  return PASSING.has(event);
}

/** What an event is to somebody who reads: "bad", "good", "wire" (told better by another one), or nothing of these. */
export function mood(event) {
  return isPassing(event) ? "wire" : (MOODS[event.event] ?? "");
}

/** An event in words. `units`: whether amounts are told in K and M. */
export function sentence(event, units) {
  return (SENTENCES[event.event] ?? (() => event.event))(event, units);
}

/** An amount as the banker's display shows it: 16.5M, 260K; in an edition without units plain digits. */
export function money(amount, units) {
  if (!units || amount === 0) return String(amount);
  const [size, letter] = Math.abs(amount) >= M ? [M, "M"] : [K, "K"];
  return `${amount / size}${letter}`;
}

/** Whose account this is: account 0 is the bank's. */
export function holder(account) {
  return account === 0 ? "the bank" : `card ${account}`;
}

/** What a press of the question block brought, or that it was not pressed. */
export function outcome(last) {
  if (!last) return "not pressed yet";
  if (last.outcome === "coins") return last.coins === 1 ? "1 coin" : `${last.coins} coins`;
  return OUTCOMES[last.outcome] ?? last.outcome;
}

/** Why money moved. */
export function reason(transfer) {
  return REASONS[transfer.reason] ?? transfer.reason;
}

/** How the worm apple stands. */
export function worms(apple) {
  if (apple.running) return "the worms dance";
  return apple.wound ? "wound: let go!" : "at rest";
}

function because(transfer) {
  return SEEN_BY_HOLDERS.has(transfer.reason) ? "" : `: ${reason(transfer)}`;
}

function card(number) {
  return number === null ? "A card that is refused" : `Card ${number}`;
}
