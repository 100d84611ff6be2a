// The table's words in English.

const coins = (n) => (n === 1 ? "1 coin" : `${n} coins`);

export default {
  bank: { alone: "the bank", from: "the bank", to: "the bank" },
  pot: { alone: "the pot", from: "the pot", to: "the pot" },
  account: (number) => `card ${number}`,
  stranger: "a card that is refused",

  outcomes: { none: "not pressed yet", coins, power_up: "a power-up", laugh: "a laugh", game_over: "game over" },
  worms: { dance: "the worms dance", wound: "wound: let go!", rest: "at rest" },

  reasons: {
    start: "the start",
    salary: "passing GO",
    received: "from the bank",
    paid: "to the bank",
    players: "between players",
    pot_paid: "into the pot",
    pot_taken: "Free Parking",
    bankrupt: "bankrupt",
    undo: "taken back",
    recovered: "found again",
    coins: "coins",
    laugh: "a laugh",
    game_over: "game over",
  },
  seenByHolders: new Set(["received", "paid", "players", "pot_paid", "pot_taken"]),

  refusals: {}, // the table says them in English
  parts: {},
  page: (address) => `the page at ${address}`,
  wishes: { volume: "volume", quiet: "quiet mode", new_game: "new game", end_game: "end the game", undo: "take back", name: "name a card" },

  sentences: {
    "block.pressed": () => "the question block is pressed",
    "block.outcome": ({ outcome }) => `question block: ${outcome}`,
    "card.inserted": ({ slot, card }) => `${card} into the ${slot} slot`,
    "card.removed": ({ slot, card }) => `${card} out of the ${slot} slot`,
    transfer: ({ amount, payer, receiver, because }) => `${amount} from ${payer} to ${receiver}${because}`,
    refused: ({ why }) => `refused: ${why}`,
    "game.started": ({ game }) => `game ${game} begins`,
    "game.resumed": ({ game }) => `game ${game} goes on`,
    "game.ended": ({ game, winners }) => `game ${game} is over; first: ${winners}`,
    "game.clock": ({ minutes }) =>
      minutes === null ? "the game clock is off" : minutes ? `the game has ${minutes} minutes left` : "the game's time is up",
    named: ({ number, name }) => (name ? `card ${number} is ${name}` : `card ${number} has no name any more`),
    requested: ({ wish, by }) => `${by} asked: ${wish}`,
    "deal.started": () => "the deal is open",
    "deal.tick": () => "tick",
    "deal.ended": () => "sold! The deal is over",
    "deal.cancelled": () => "the deal is called off",
    "apple.wound": () => "the apple is wound",
    "apple.started": ({ seconds }) => `the worms dance for ${seconds} s`,
    "apple.stopped": () => "the worms stop",
    sound: ({ name }) => `sound: ${name}`,
    lamp: ({ on }) => `lamp ${on ? "on" : "off"}`,
    motor: ({ level }) => `motor at ${Math.round(level * 100)} %`,
    display: ({ lines }) => `display: “${lines.map((line) => line.trimEnd()).join(" ⏐ ")}”`,
    volume: ({ level }) => (level ? `the volume is ${level} of 4` : "the sound is off"),
    quiet: ({ on }) => (on ? "the block is in quiet mode" : "the block may be heard again"),
    fault: ({ name, cause }) => (cause ? `${name}: ${cause}` : `trouble with the ${name}`),
    recovered: ({ name }) => `${name} works again`,
  },
};
