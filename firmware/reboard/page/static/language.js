// Which language the page speaks: the reader's choice, else the browser's first that it knows.

import { speak } from "/static/words.js";

import { TEXTS } from "./texts.js";

const KEPT_AS = "reboard-language";
const USUAL = "en";

let language = USUAL;

/** The language that is spoken: "en" or "de". */
export function spoken() {
  return language;
}

/** The title of an edition, or of the table that plays it, in the reader's language. */
export function titleOf({ title, titles }) {
  return titles?.[language] ?? title;
}

/** A text of the page, with `values` in place. */
export function text(key, values = {}) {
  const said = TEXTS[language][key];
  return typeof said === "function" ? said(values) : said;
}

/** Speak the reader's language, and let it be changed; `changed()` is called after each change. */
export function languages(changed) {
  const chooser = document.getElementById("language");
  choose(asked() ?? kept() ?? navigator.languages.map((tag) => tag.split("-")[0]).find((tag) => Object.hasOwn(TEXTS, tag)) ?? USUAL);

  chooser.addEventListener("change", () => {
    choose(chooser.value);
    keep(chooser.value);
    history.replaceState(null, "", location.pathname); // what the address asked for is not what is wanted any more
    changed();
  });

  function choose(wanted) {
    language = wanted;
    speak(language);
    chooser.value = language;
    document.documentElement.lang = language;
    for (const element of document.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
    for (const element of document.querySelectorAll("[data-label]")) {
      element.setAttribute("aria-label", text(element.dataset.label));
    }
  }
}

function asked() {
  const wanted = new URLSearchParams(location.search).get("lang");
  return wanted !== null && Object.hasOwn(TEXTS, wanted) ? wanted : undefined;
}

// a browser that keeps nothing refuses even to be asked
function kept() {
  try {
    const before = localStorage.getItem(KEPT_AS);
    return before !== null && Object.hasOwn(TEXTS, before) ? before : undefined;
  } catch {
    return undefined;
  }
}

function keep(chosen) {
  try {
    localStorage.setItem(KEPT_AS, chosen);
  } catch {
    // it is asked anew next time
  }
}
