// Events in words, for the table page and the bench. Each accessory adds the words for its own events.
//
// The words of a language: `sentences` (by event, each a function of the event and the table), `parts`, `requests` and
// `rejections` (by their names), and `texts` for panels. An accessory's words.js exports them by language, and `kinds`
// and `entries`.

import { firstState } from "./page_data.js";
import de from "./words_de.js";
import en from "./words_en.js";

const LANGUAGES = { en, de };

/** "passing": frequent, and of no interest afterwards. "detail": another event says it better. "bad", "good": colours. */
const KINDS = {
  motor: "passing", lamp: "passing", display: "passing", sound: "passing", matrix: "passing", ring: "passing",
  rgb_led: "passing", servo: "passing", buzzer: "passing",
  fault: "bad", recovered: "good", refused: "bad",
};

/** What lists show of an event, by its name: see `entry`. */
const ENTRIES = {};

let words = en;

/** Use another language: "en" or "de". */
export function speak(language) {
  words = LANGUAGES[language] ?? en;
}

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

function addWords(module) {
  Object.assign(KINDS, module.kinds);
  Object.assign(ENTRIES, module.entries);
  for (const [language, known] of Object.entries(LANGUAGES)) {
    for (const [section, added] of Object.entries(module.default[language] ?? {})) {
      known[section] = { ...known[section], ...added };
    }
  }
}

/** A word of the current language, such as word("parts", "speaker"); undefined if there is none. */
export function word(section, key) {
  return words[section]?.[key];
}

/** Whether an event is frequent, and of no interest afterwards. */
export function isPassing({ event }) {
  return KINDS[event] === "passing";
}

/** How an event is shown: "bad", "good", "detail" (only on request) or "". */
export function kind(event) {
  return isPassing(event) ? "detail" : (KINDS[event.event] ?? "");
}

/**
 * What a list shows of an event besides its sentence, each optional: `parties`, from payer to receiver, each with a `name`
 * and, if it is a player, its number `player` and its `colour`; and the `amount` that moved and `why`, in place of the sentence.
 */
export function entry(event, table) {
  return ENTRIES[event.event]?.(event, table) ?? {};
}

/** An event in words. `table`: at least its `units`, and its `cards` for the names of the players. */
export function sentence(event, table = {}) {
  const say = words.sentences[event.event] ?? plainSentence;
  return capital(say(event, table));
}

/** An event without words of its own: "buzzer scored: side left, points 1". */
function plainSentence({ event, t, at, ...fields }) {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const values = known.map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  return [event.replace(/[._]/g, " "), values.join(", ").replaceAll("_", " ")].filter(Boolean).join(": ");
}

/** The name of a part: "left slot". */
export function partName(part) {
  return words.parts[part] ?? part;
}

/** The name of a request: "new_game". */
export function requestName(request) {
  return words.requests[request] ?? request.replaceAll("_", " ");
}

/** Why the table refused something; undefined without words for it. `sentence` is the table's own, which is English. */
export function rejection(why, sentence) {
  return (words === en && sentence) || words.rejections[why];
}

/** A text that begins with a capital letter. */
export function capital(text) {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
