// Events in words, for the table page and the bench. Each accessory adds the words for its own events.
//
// An accessory's words.js exports, each by a name: `sentences` (of events, each a function of the event and the table),
// `parts`, and `labels` and `values` of its state; and `kinds`, `entries` and `announcements`.

import { firstState } from "./page_data.js";
import { spoken, text, textOf, withColon } from "./text.js";

const words = {
  parts: { speaker: text("speaker"), voice: text("voice"), config: text("config") },
  sentences: {
    requested: ({ do: request, by }) => withColon(senderName(by), requestName(request)),
    sound: ({ name }) => text("sound: {name}", { name }),
    said: ({ words: said }) => text("voice: “{words}”", { words: said }),
    lamp: ({ on }) => (on ? text("lamp on") : text("lamp off")),
    motor: ({ level }) => text("motor at {percent} %", { percent: Math.round(level * 100) }),
    display: ({ lines }) => text("display: “{lines}”", { lines: lines.map((line) => line.trimEnd()).join(" ⏐ ") }),
    volume: ({ level }) => (level ? text("volume {level} of 4", { level }) : text("sound off")),
    fault: ({ part, cause }) => (cause ? withColon(partName(part), causeName(cause)) : text("fault: {part}", { part: partName(part) })),
    recovered: ({ part }) => text("{part} works again", { part: partName(part) }),
  },
};

/**
 * "passing": frequent, and of no interest afterwards. "detail": another event says it better. "bad", "good": colours. A function
 * of the event returns one of them.
 */
const KINDS = {
  motor: "passing", lamp: "passing", display: "passing", sound: "passing", said: "passing", matrix: "passing", ring: "passing",
  rgb_led: "passing", servo: "passing", buzzer: "passing",
  fault: "bad", recovered: "good", refused: "bad",
};

/** What lists show of an event, by its name: see `entry`. */
const ENTRIES = {};

/** The edition of each game that this page has heard of, by its number. */
const EDITIONS = new Map();

/** What screen readers say of an event in place of its sentence, by its name: see `announcement`. */
const ANNOUNCEMENTS = {
  requested: () => "", // what it does is another event
  fault: (event, table) => full(sentence({ ...event, cause: "" }, table)), // the cause is for the person who repairs it
};

/** Return the list of accessories, and load the words of each. */
export async function loadAccessories() {
  const { accessories } = firstState();
  for (const { name, files } of accessories) {
    try {
      if (files.includes("words.js")) addWords(await import(`/static/panels/${name}/words.js`));
    } catch (error) {
      console.error(error); // the others are shown all the same
    }
  }
  return accessories;
}

/** Add the words of an accessory, or of what runs the table. */
export function addWords(module) {
  Object.assign(KINDS, module.kinds);
  Object.assign(ENTRIES, module.entries);
  Object.assign(ANNOUNCEMENTS, module.announcements);
  for (const section of ["labels", "parts", "sentences", "values"]) {
    words[section] = { ...words[section], ...module[section] };
  }
}

/** A word of an accessory, such as word("parts", "speaker"); undefined if there is none. */
export function word(section, key) {
  return words[section]?.[key];
}

/** Whether an event is frequent, and of no interest afterwards. */
export function isPassing({ event }) {
  return KINDS[event] === "passing";
}

/** How an event is shown: "bad", "good", "detail" (only on request) or "". */
export function kind(event) {
  const known = KINDS[event.event];
  if (typeof known === "function") return known(event);
  return isPassing(event) ? "detail" : (known ?? "");
}

/**
 * What a list shows of an event besides its sentence, each optional: `parties`, from payer to receiver, each with a `name`
 * and, if it is a player, its number `player` and its `colour`; and the `amount` that moved and `why`, in place of the sentence.
 */
export function entry(event, table) {
  return ENTRIES[event.event]?.(event, inItsMoney(event, table)) ?? {};
}

/** Remember which edition a game has: of a table, or of an event such as "game.started". */
export function rememberEdition({ game, edition }) {
  if (game && edition) EDITIONS.set(game, edition);
}

/** The table with the money of the edition in which the game of an event is played; without units and currency if none is known. */
function inItsMoney({ game }, table) {
  const isOther = game && table.game && table.editions && game !== table.game;
  if (!isOther || (game > table.game && !EDITIONS.has(game))) return table; // its snapshot is on the way
  const { units = false, currency = "" } = table.editions.find(({ name }) => name === EDITIONS.get(game)) ?? {};
  return { ...table, units, rules: { ...table.rules, currency } };
}

/** An event in words. `table`: at least its `units`, and its `cards` for the names of the players. */
export function sentence(event, table = {}) {
  const say = words.sentences[event.event] ?? plainSentence;
  return capital(say(event, inItsMoney(event, table)));
}

/** What a screen reader says of an event, in whole sentences; "" for one that is not worth it. */
export function announcement(event, table = {}) {
  if (kind(event) === "detail") return "";
  return (ANNOUNCEMENTS[event.event] ?? ((...of) => full(sentence(...of))))(event, table);
}

/** A sentence with a full stop, if it has no other mark at its end. */
export function full(words) {
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}

/** An event without words of its own: "buzzer scored: side left, points 1". */
function plainSentence({ event, t, at, ...fields }) {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const values = known.map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  return [event.replace(/[._]/g, " "), values.join(", ").replaceAll("_", " ")].filter(Boolean).join(": ");
}

/** The name of a part: "left slot". */
export function partName(part) {
  return words.parts[part] ?? wordsOf("parts", part) ?? part;
}

/**
 * The cause of a fault in the language of the page. The table says it in English, with its values, so it is compared with
 * the texts of all causes, the longest first. What follows it, and a value, can be such a text or a part, too.
 */
export function causeName(english) {
  const rest = CAUSES.length ? english.replace(/^\s*[.,]?\s*/, "") : "";
  const lead = english.slice(0, english.length - rest.length);
  for (const { pattern, names, found } of CAUSES) {
    const [, ...values] = pattern.exec(rest) ?? [];
    if (!values.length) continue;
    const more = values.pop();
    const shown = Object.fromEntries(names.map((name, place) => [name, causeName(values[place])]));
    return lead + found.replace(VALUE, (_, name) => shown[name]) + causeName(more);
  }
  return words.parts[english] ?? english;
}

const VALUE = /\{(\w+)\}/g;
const CAUSES = Object.entries(globalThis.bundled.speech.causes)
  .map(([english, found]) => ({
    literal: english.replace(VALUE, ""),
    pattern: new RegExp(`^${english.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(VALUE, "(.*?)")}${english.endsWith("}") ? "()" : "((?:\\.(?: .*)?)?)"}$`, "s"),
    names: [...english.matchAll(VALUE)].map(([, name]) => name),
    found,
  }))
  .sort((one, other) => other.literal.length - one.literal.length);

/** The name of a request: "new_game". */
export function requestName(request) {
  return wordsOf("requests", request) ?? request;
}

/** The name of the sender of a request: the host, a user over MQTT, or a program. */
function senderName(by) {
  const [, user] = /^(.+) over MQTT$/.exec(by) ?? [];
  if (user) return text("{user} over MQTT", { user });
  if (by === "control socket") return text("control socket");
  return by === "the host" ? text("the host") : by;
}

/** The name of an outcome of an accessory: "power-up" for "power_up"; or the reason of a payment: an accessory's title. */
export function outcomeName(outcome) {
  return wordsOf("outcomes", outcome) ?? (outcome && text(outcome));
}

/** Why the table refused something; undefined without words for it. `sentence` is the table's own, which is English. */
export function rejection(why, sentence) {
  return (spoken() === "en" && sentence) || globalThis.bundled.speech.rejections[why];
}

/** The first part of a rejection: why, without what to do about it. */
export function reasonOf(why) {
  return rejection(why)?.split(/\s?: /)[0] ?? why;
}

/** The words of the vocabulary for a member of a class such as "bank.Reason"; undefined without such a member. */
export function wordsOf(declared, member, context = "") {
  const english = globalThis.bundled.speech.labels[declared]?.[member];
  return english && (context ? textOf(context, english) : text(english));
}

/** A text that begins with a capital letter, unless it begins with the name of a file. */
export function capital(text) {
  return /^\S+\.(py|toml)\b/.test(text) ? text : text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
