// The table's words, said to people. Every page has them from here: the table page and the bench.

import de from "./words_de.js";
import en from "./words_en.js";

const LANGUAGES = { en, de };

const PASSING = new Set(["motor", "lamp", "display", "sound", "deal.tick"]);
const MOODS = { fault: "bad", refused: "bad", recovered: "good", "block.pressed": "wire" };

/** The account of the Free Parking pot. */
export const POT = 9;

const K = 1e3;
const M = 1e6;

let words = en;

/** Say everything in another language from now on: "en" or "de". */
export function speak(language) {
  words = LANGUAGES[language] ?? en;
}

/** Whether an event comes in swarms and changes nothing that is known of the table. */
export function isPassing({ event }) {
  return PASSING.has(event);
}

/** What an event is to somebody who reads: "bad", "good", "wire" (told better by another one), or nothing of these. */
export function mood(event) {
  return isPassing(event) ? "wire" : (MOODS[event.event] ?? "");
}

/**
 * An event in words. `units`: whether amounts are told in K and M; `name(card)`: what a player is called, if anything.
 */
export function sentence(event, units, name = () => "") {
  const told = {
    ...event,
    amount: money(event.amount, units),
    payer: holder(event.from, "from", name),
    receiver: holder(event.to, "to", name),
    card: event.number === null ? words.stranger : holder(event.number, "alone", name),
    because: words.seenByHolders.has(event.reason) ? "" : `: ${reason(event)}`,
    outcome: outcome(event),
    winners: (event.ranking ?? []).filter(({ place }) => place === 1).map(winner).join(", "),
    wish: words.wishes[event.do] ?? event.do,
    why: refused(event.why) ?? event.why,
    name: event.part ? partName(event.part) : event.name,
    by: asker(event.by),
  };
  return capital((words.sentences[event.event] ?? (() => event.event))(told));
}

/** An amount as the banker's display shows it: 16.5M, 260K; in an edition without units plain digits. */
export function money(amount, units) {
  if (!units || amount === 0) return String(amount);
  const [size, letter] = Math.abs(amount) >= M ? [M, "M"] : [K, "K"];
  return `${amount / size}${letter}`;
}

/** Whose account this is, by name where there is one: account 0 is the bank's, 9 the pot's. `role`: "alone", "from" or "to". */
export function holder(account, role = "alone", name = () => "") {
  if (account === 0) return words.bank[role];
  if (account === POT) return words.pot[role];
  return name(account) || words.account(account);
}

/** What a press of the question block brought, or that it was not pressed. */
export function outcome(last) {
  if (!last) return words.outcomes.none;
  if (last.outcome === "coins") return words.outcomes.coins(last.coins);
  return words.outcomes[last.outcome] ?? last.outcome;
}

/** Why money moved. */
export function reason(transfer) {
  return words.reasons[transfer.reason] ?? transfer.reason;
}

/** Why the bank said no, in words of this language, if it has any. */
export function refused(why) {
  return words.refusals[why];
}

/** What a part is called. */
export function partName(part) {
  return words.parts[part] ?? part;
}

/** How the worm apple stands. */
export function worms(apple) {
  if (apple.running) return words.worms.dance;
  return apple.wound ? words.worms.wound : words.worms.rest;
}

/** Who asked the table for something: the page tells where from. */
function asker(by) {
  const from = /^the page at (.+)$/.exec(by ?? "");
  return from ? words.page(from[1]) : by;
}

function winner({ name, number }) {
  return name || words.account(number);
}

function capital(text) {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
