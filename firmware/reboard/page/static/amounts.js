// Amounts in the edition's own form, and whose they are.

import { holder, money } from "/static/words.js";

const WRITTEN = /^(\d+)(?:[.,](\d+))?([km]?)$/i;
const SIZES = { "": 1n, k: 1000n, m: 1000000n };

/** An amount as the boxed game writes it: 16.5M, €1500. */
export function written(amount, { units, rules }) {
  return (rules?.currency ?? "") + money(amount, units);
}

/** What the display calls it, in the edition's currency. */
export function withCurrency(shown, { rules }) {
  return shown === null ? null : (rules?.currency ?? "") + shown;
}

/** The whole number that somebody wrote: 1500, and if the edition has `units` 1.5M, 260K; null when it is none. */
export function read(text, units) {
  const found = WRITTEN.exec(text.trim().replace(/^\p{Sc}/u, ""));
  if (!found || (found[3] && !units)) return null;
  if (found[2] && !found[3]) return null; // a thousand, or one and nothing? nobody knows
  const [, whole, fraction = "", unit] = found;
  const size = SIZES[unit.toLowerCase()];
  const scale = 10n ** BigInt(fraction.length);
  const amount = BigInt(whole + fraction) * size;
  return amount % scale === 0n && amount / scale <= Number.MAX_SAFE_INTEGER ? Number(amount / scale) : null;
}

/** A function that tells what the player with a card is called in `table`, "" where there is no name. */
export function namesOf({ cards = [] }) {
  const names = new Map(cards.map(({ number, name }) => [number, name]));
  return (card) => names.get(card) ?? "";
}

/** Whose account this is in `table`: a name, a card, or the bank. */
export function whose(account, table, role = "alone") {
  return holder(account, role, namesOf(table));
}
