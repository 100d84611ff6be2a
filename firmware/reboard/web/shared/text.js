// The texts of the page in its language. English is in the code; the server adds the other language to the page's scripts.

const { speech } = globalThis.bundled;

/** The language of the page, such as "de". */
export function spoken() {
  return speech.language;
}

/** The translation of an English text, with `values` in place of its {names}. A text without a translation stays English. */
export function text(english, values = {}) {
  return filled(speech.texts[english] ?? english, values);
}

/** The translation of an English text that means something else in other contexts. */
export function textOf(context, english, values = {}) {
  return filled(speech.texts[`${context}\u0004${english}`] ?? english, values);
}

/** The form of a text for the number n, which is {n} in it: plural("1 coin", "{n} coins", n). */
export function plural(one, many, n, values = {}) {
  return filled(speech.forms[one]?.[speech.form(n)] ?? (n === 1 ? one : many), { n, ...values });
}

/** A shown amount such as 16.5M with the decimal mark of the language. */
export function amount(shown) {
  return String(shown).replace(".", textOf("decimal mark", "."));
}

/** A shown amount with the currency of an edition, if it has one: €1500, in German 1500 €. */
export function withCurrency(shown, currency) {
  return currency ? text("{currency}{amount}", { currency, amount: amount(shown) }) : amount(shown);
}

/** Two texts with the colon of the language between them: "left slot: empty". */
export function withColon(before, after) {
  return text("{before}: {after}", { before, after });
}

/** A time to wait, such as "5 s" or "4 min", of an answer that says how long. */
export function wait({ retry_after_s: wait_s = 1 } = {}) {
  return wait_s < 100 ? text("{seconds} s", { seconds: Math.ceil(wait_s) }) : text("{minutes} min", { minutes: Math.ceil(wait_s / 60) });
}

function filled(found, values) {
  return found.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}
