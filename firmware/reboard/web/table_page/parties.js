// Payer and receiver of a transfer, with an arrow between them, which screen readers read as a word.

import { textOf } from "/static/text.js";
import { capital } from "/static/words.js";

import { element } from "./element.js";

/** An element with `parties`, each with a `name` and, if it is a player, its `colour`. */
export function partiesElement(parties) {
  const who = element("span", "", "parties");
  parties.forEach(({ name, colour }, i) => {
    if (i) who.append(...arrow());
    const party = element("span", capital(name), "party");
    if (colour) party.style.setProperty("--colour", colour);
    who.append(party);
  });
  return who;
}

function arrow() {
  const made = element("span", "→", "arrow");
  made.setAttribute("aria-hidden", "true");
  return [made, element("span", ` ${textOf("between payer and receiver", "to")} `, "unseen")];
}
