// The words for the banker unit.

import { cardColour } from "/static/card_colour.js";
import { text, withColon } from "/static/text.js";
import { full, outcomeName, reasonOf, sentence, wordsOf } from "/static/words.js";

import { has, holder, money, paid, payment, whyEnded, withCurrency } from "./accounts.js";

export const kinds = {
  "deal.tick": "passing",
  phones: "detail",
  "payment.ended": ({ why }) => (why === "booked" ? "detail" : ""), // its transfer says it
};

const ofPayment = ({ from, to }, table) => ({ parties: [party(from, table), party(to, table)] });
const ofCard = ({ number }, table) => ({ parties: number === null ? [] : [party(number, table)] });

export const entries = {
  transfer: (event, table) => ({
    amount: withCurrency(money(event.amount, table), table),
    parties: [party(event.from, table), party(event.to, table)],
    why: reason(event),
  }),
  "card.inserted": ofCard,
  "card.removed": ofCard,
  named: ofCard,
  "payment.asked": ofPayment,
  "payment.ended": ofPayment,
};

function party(account, table) {
  const isPlayer = wordsOf("bank.Account", account) === undefined;
  return { name: holder(account, table), ...(isPlayer && { player: account, colour: cardColour(account) }) };
}

/** Why money moved, or "" if payer and receiver say it already. */
function reason(transfer) {
  return wordsOf("bank.Reason", transfer.reason) ?? outcomeName(transfer.reason);
}

function card({ number }, { cards = [] }) {
  if (number === null) return text("a card");
  const name = cards.find((each) => each.number === number)?.name;
  return name ? text("the card of {name}", { name }) : text("card {number}", { number });
}

function winners({ ranking }) {
  return ranking.filter(({ place }) => place === 1).map(({ name, number }) => name || holder(number)).join(", ");
}

/** What is said with the balance of a player, and what the log says elsewhere. */
const withBalance = (player) => (event, table) => [full(sentence(event, table)), has(player(event), event, table)].filter(Boolean).join(" ");

export const announcements = {
  transfer: withBalance(({ from, to }) => (wordsOf("bank.Account", to) === undefined ? to : from)),
  "card.inserted": withBalance(({ number }) => number),
  "payment.ended": (event, table) => (event.why === "taken back" ? "" : full(sentence(event, table))), // its transfer is said
};

export const parts = {
  bank: text("banker unit"),
  "left slot": text("left slot"),
  "right slot": text("right slot"),
  display: text("display"),
  keypad: text("keypad"),
  ledger: text("ledger"),
  clock: text("clock"),
};

export const sentences = {
  "card.inserted": (event, table) =>
    event.slot === "left" ? text("{card} is in the left slot", { card: card(event, table) }) : text("{card} is in the right slot", { card: card(event, table) }),
  "card.removed": (event, table) =>
    event.slot === "left" ? text("{card} is out of the left slot", { card: card(event, table) }) : text("{card} is out of the right slot", { card: card(event, table) }),
  transfer: (event, table) => {
    const said = paid(event, table);
    return reason(event) ? withColon(said, reason(event)) : said;
  },
  "payment.asked": (event, table) => text("{who} asks: {payment}", { who: event.by ? holder(event.by, table) : text("a player"), payment: payment(event, table) }),
  "payment.ended": (event, table) => withColon(payment(event, table), whyEnded(event)),
  phones: ({ pay, cards }, table) => {
    const how = { off: text("phones do not pay"), ask: text("phones ask before they pay"), free: text("phones pay at once") }[pay];
    const joined = Object.keys(cards).map((number) => holder(Number(number), table));
    return joined.length ? withColon(how, joined.join(", ")) : how;
  },
  refused: ({ why }) => text("rejected: {why}", { why: reasonOf(why) }),
  "game.started": ({ game }) => text("game {game} starts", { game }),
  "game.resumed": ({ game }) => text("game {game} continues", { game }),
  "game.ended": (event) => text("game {game} is over; first: {winners}", { game: event.game, winners: winners(event) }),
  "game.clock": ({ minutes }) =>
    minutes === null ? text("game clock off") : minutes ? text("{minutes} minutes left in the game", { minutes }) : text("the game's time is up"),
  named: ({ number, name }) => (name ? text("card {number} is {name}", { number, name }) : text("card {number} has no name now", { number })),
  "deal.started": () => text("an auction starts"),
  "deal.tick": () => text("tick"),
  "deal.ended": () => text("the auction is over"),
  "deal.cancelled": () => text("the auction is called off"),
};
