// The words for the banker unit.

import { cardColour } from "/static/card_colour.js";
import { text, withColon } from "/static/text.js";
import { outcomeName, reasonOf, wordsOf } from "/static/words.js";

import { holder, money, moved, payment, whyEnded, withCurrency } from "./accounts.js";

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

function card(event, table) {
  return event.number === null ? text("a card") : holder(event.number, table);
}

function winners({ ranking }) {
  return ranking.filter(({ place }) => place === 1).map(({ name, number }) => name || holder(number)).join(", ");
}

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
    event.slot === "left" ? text("{card} into the left slot", { card: card(event, table) }) : text("{card} into the right slot", { card: card(event, table) }),
  "card.removed": (event, table) =>
    event.slot === "left" ? text("{card} out of the left slot", { card: card(event, table) }) : text("{card} out of the right slot", { card: card(event, table) }),
  transfer: (event, table) => {
    const said = moved(event, table);
    return reason(event) ? withColon(said, reason(event)) : said;
  },
  "payment.asked": (event, table) => text("asked: {payment}", { payment: payment(event, table) }),
  "payment.ended": (event, table) => withColon(payment(event, table), whyEnded(event)),
  phones: ({ pay, cards }, table) => {
    const how = { off: text("phones do not pay"), ask: text("phones ask before they pay"), free: text("phones pay at once") }[pay];
    return cards.length ? withColon(how, cards.map((number) => holder(number, table)).join(", ")) : how;
  },
  refused: ({ why }) => text("rejected: {why}", { why: reasonOf(why) }),
  "game.started": ({ game }) => text("game {game} starts", { game }),
  "game.resumed": ({ game }) => text("game {game} continues", { game }),
  "game.ended": (event) => text("game {game} is over; first: {winners}", { game: event.game, winners: winners(event) }),
  "game.clock": ({ minutes }) =>
    minutes === null ? text("game clock off") : minutes ? text("{minutes} minutes left in the game", { minutes }) : text("the game's time is up"),
  named: ({ number, name }) => (name ? text("card {number} is {name}", { number, name }) : text("card {number} has no name now", { number })),
  "deal.started": () => text("auction started"),
  "deal.tick": () => text("tick"),
  "deal.ended": () => text("the auction is over"),
  "deal.cancelled": () => text("auction cancelled"),
};
