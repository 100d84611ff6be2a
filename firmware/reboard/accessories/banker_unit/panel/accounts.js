// Accounts and amounts in words: the holders are players, the bank and the Free Parking pot.

import { amount as localized, text, textOf, withCurrency as priced } from "/static/text.js";
import { capital, reasonOf, wordsOf } from "/static/words.js";

export const BANK = 0;
export const POT = 9;
/** All other players: each pays, or each gets. */
export const EVERYONE = 10;

/** The contexts of a payer and of a receiver. Languages decline them, or put a word before them. */
const CONTEXTS = { from: "payer", to: "receiver" };

const ID_BYTES = 16;
const K = 1e3;
const M = 1e6;
const ENTERED = /^(\d+)(?:([.,])(\d+))?\s*([km]?)$/i;
const THOUSANDS = /^[1-9]\d?[.,]\d{3}$/;
const SIZES = { "": 1n, k: 1000n, m: 1000000n };

/** An amount as on the display: 16.5M, 260K; in an edition without units plain digits. */
export function money(amount, { units }) {
  if (!units || amount === 0) return String(amount);
  const [size, letter] = Math.abs(amount) >= M ? [M, "M"] : [K, "K"];
  return localized(`${amount / size}${letter}`);
}

/** A shown amount with the currency of the table's edition. */
export function withCurrency(shown, { rules }) {
  return priced(shown, rules?.currency);
}

/** An entered amount without its currency and without the spaces between thousands: 1500 for "1 500 €". */
function bare(entered) {
  return entered
    .replace(/^\s*\p{Sc}|\p{Sc}\s*$/gu, "")
    .replace(/(?<=\d)\s(?=\d{3}(?!\d))/g, "")
    .trim();
}

/** The number in an entered amount such as 1500 or, if the edition has `units`, 1.5M or 260K; null if there is none. */
export function parseAmount(text, units) {
  const found = ENTERED.exec(bare(text));
  if (!found || (found[4] && !units)) return null;
  const [, whole, mark, fraction = "", unit] = found;
  const isThousands = THOUSANDS.test(whole + mark + fraction);
  if (isThousands && !units) return Number(whole + fraction);
  // 1.500M could mean 1500M or 1.5M
  if (mark && (!unit || (isThousands && mark !== localized(".")))) return null;
  const size = SIZES[unit.toLowerCase()];
  const scale = 10n ** BigInt(fraction.length);
  const amount = BigInt(whole + fraction) * size;
  return amount % scale === 0n && amount / scale <= Number.MAX_SAFE_INTEGER ? Number(amount / scale) : null;
}

/** An entered amount as the table reads it, or null: with K or M if the edition has `units`, without its currency. */
export function enteredAmount(entered, { units }) {
  const amount = bare(entered);
  return parseAmount(amount, units) === null || (units && !/[km]$/i.test(amount)) ? null : amount;
}

/** Show in a field for amounts what can be entered. */
export function hint(input, { units }) {
  input.inputMode = units ? "text" : "numeric";
  input.placeholder = units ? localized("1.5M") : "100";
}

/** Fill a list of choices, each a value and a label. A list that stays the same stays open. */
export function options(select, rows) {
  const now = JSON.stringify(rows);
  if (select.dataset.rows === now) return;
  const chosen = select.value;
  select.dataset.rows = now;
  select.replaceChildren(...rows.map(([value, label]) => new Option(label, value)));
  if (rows.some(([value]) => String(value) === chosen)) select.value = chosen;
}

/** A random id for a payment. crypto.randomUUID exists only over https. */
export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(ID_BYTES))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether a card is in the game, as a player or not yet. */
export function isInGame({ retired, left }) {
  return !retired && !left;
}

/** Whether a card is or was a player of the game, until it leaves. */
export function isPlayer({ retired, playing }) {
  return retired || playing;
}

/** Whether the table has a slot for cards. */
export function hasSlot({ fitted }) {
  return fitted.includes("left") || fitted.includes("right");
}

/** Why a card does not play, in words; "" if it does. */
export function state(card) {
  if (!isInGame(card)) return card.retired ? text("bankrupt") : text("left the game");
  return isPlayer(card) ? "" : text("not playing yet");
}

/** The holder of an account: a name, a card, the bank or the pot. `grammar`: "nominative", "from" or "to". */
export function holder(account, { cards = [] } = {}, grammar = "nominative") {
  if (account === EVERYONE) return { from: textOf("payer", "each player"), to: textOf("receiver", "each player") }[grammar] ?? text("everyone");
  const name = cards.find(({ number }) => number === account)?.name || text("card {number}", { number: account });
  const named = { payer: textOf("payer", "{name}", { name }), receiver: textOf("receiver", "{name}", { name }) };
  return wordsOf("bank.Account", account, CONTEXTS[grammar]) ?? named[CONTEXTS[grammar]] ?? name;
}

/** A payment that a player asks for, in words: "1.5M from Anna to the bank". `why`: how it has ended. */
export function payment({ from, to, amount, reason, why }, table) {
  const player = holder(to, table);
  if (reason === "start") return why === "booked" ? text("{player} joins the game", { player }) : text("{player} wants to join", { player });
  if (reason === "bankrupt") return text("{player} goes bankrupt, and {receiver} gets everything", { player: holder(from, table), receiver: player });
  return moved({ from, to, amount }, table);
}

/** A transfer in words: "1.5M from Anna to the bank". */
export function moved({ from, to, amount }, table) {
  const values = { amount: withCurrency(money(amount, table), table), payer: holder(from, table, "from"), receiver: holder(to, table, "to") };
  return text("{amount} from {payer} to {receiver}", values);
}

/** A transfer as a sentence: "Anna pays the bank 1.5M". */
export function paid({ from, to, amount }, table) {
  const values = { amount: withCurrency(money(amount, table), table), payer: holder(from, table), receiver: holder(to, table, "to") };
  return text("{payer} pays {receiver} {amount}", values);
}

/** What a player has, as a sentence; "" while the table does not include the transfer with this `id`. */
export function has(number, { id = 0 }, table) {
  const player = table.cards?.find((card) => card.number === number);
  const isIncluded = !id || table.transfers?.some((transfer) => transfer.id >= id);
  return player && isIncluded ? text("{player} has {amount}.", { player: capital(holder(number, table)), amount: withCurrency(money(player.balance, table), table) }) : "";
}

/** A sentence about an entered text that is no amount. */
export function notAnAmount(entered, { units }) {
  return units
    ? text("“{text}” is not an amount: add K or M, such as 1.5M", { text: entered })
    : text("“{text}” is not an amount: write digits only, such as 1500", { text: entered });
}

/** Why a payment that a player asked for has ended, in words. */
export function whyEnded({ why }) {
  return wordsOf("bank.PaymentEnd", why) ?? reasonOf(why);
}

/** A payment that has ended, and why if it was not booked. */
export function ended(event, table) {
  const said = payment(event, table);
  if (event.why === "booked") return text("Done: {payment}.", { payment: said });
  if (event.why === "taken back") return text("Taken back: {payment}.", { payment: said });
  return text("Not done: {payment}. Reason: {why}.", { payment: said, why: whyEnded(event) });
}
