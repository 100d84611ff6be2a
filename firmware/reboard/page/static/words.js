// The table's words, said to people.

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
  undo: "taken back",
  recovered: "found again",
};

const K = 1e3;
const M = 1e6;

/** An amount as the banker's display shows it: 16.5M, 260K; in an edition without units plain digits. */
export function money(amount, units) {
  if (!units || amount === 0) return String(amount);
  const [size, letter] = Math.abs(amount) >= M ? [M, "M"] : [K, "K"];
  return `${amount / size}${letter}`;
}

export function account(number) {
  return number === 0 ? "bank" : `card ${number}`;
}

export function outcome(last) {
  if (!last) return "not pressed yet";
  if (last.outcome === "coins") return last.coins === 1 ? "1 coin" : `${last.coins} coins`;
  return OUTCOMES[last.outcome] ?? last.outcome;
}

export function reason(transfer) {
  return REASONS[transfer.reason] ?? transfer.reason;
}

export function worms(apple) {
  if (apple.running) return "the worms dance";
  return apple.wound ? "wound: let go!" : "at rest";
}

/** One event as a sentence, or nothing for those that only repeat what another one says. */
export function sentence(event, units) {
  switch (event.event) {
    case "block.outcome": return `The block: ${outcome(event)}.`;
    case "card.inserted": return `${card(event)} is in the ${event.slot} slot.`;
    case "card.removed": return `${card(event)} was taken out of the ${event.slot} slot.`;
    case "transfer":
      return `${capital(account(event.from))} pays ${account(event.to)} ${money(event.amount, units)}.`;
    case "refused": return `Refused: ${event.why}.`;
    case "game.started": return `Game ${event.game} has begun.`;
    case "deal.started": return "The deal is open.";
    case "deal.ended": return "The deal is over.";
    case "deal.cancelled": return "The deal was called off.";
    case "apple.wound": return "The apple is wound.";
    case "apple.started": return `The worms dance for ${event.seconds} seconds.`;
    case "apple.stopped": return "The worms stopped.";
    case "volume": return event.level ? `The volume is ${event.level} of 4.` : "The sound is off.";
    case "quiet": return event.on ? "The block is in quiet mode." : "The block may be heard again.";
    case "fault": return `Something is wrong with the ${event.part}: ${event.cause}`;
    case "recovered": return `The ${event.part} is well again.`;
    default: return "";
  }
}

function card(event) {
  return event.number === null ? "A card that was refused" : `Card ${event.number}`;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
