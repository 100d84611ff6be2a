// The language of the page: the reader's choice, else the browser's first one that the page has.

import { speak, word } from "/static/words.js";

import { TEXTS } from "./texts.js";

const STORAGE_KEY = "reboard-language";
const DEFAULT = "en";

let language = DEFAULT;

/** The language of the page: "en" or "de". */
export function spoken() {
  return language;
}

/** The title of an edition in the language of the page. */
export function titleOf({ title, titles }) {
  return titles?.[language] ?? title;
}

/** A text of the page or of an accessory, with `values` in place. */
export function text(key, values = {}) {
  const found = TEXTS[language][key] ?? word("texts", key);
  return typeof found === "function" ? found(values) : found;
}

/** Choose the language, and let the reader change it: `onChange()` is called after each change. */
export function chooseLanguage(onChange) {
  const chooser = document.getElementById("language");
  const preferred = navigator.languages.map((tag) => tag.split("-")[0]);
  set([inAddress(), stored(), ...preferred].find((code) => code && Object.hasOwn(TEXTS, code)) ?? DEFAULT);

  chooser.addEventListener("change", () => {
    set(chooser.value);
    store(chooser.value);
    const address = new URL(location.href);
    address.searchParams.delete("lang"); // the choice replaces it
    history.replaceState(null, "", address);
    onChange();
  });

  function set(code) {
    language = code;
    speak(language);
    chooser.value = language;
    document.documentElement.lang = language;
    translate();
  }
}

/** Fill every element with data-text, and label every element with data-label. */
export function translate() {
  for (const element of document.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", text(element.dataset.label));
  }
}

function inAddress() {
  return new URLSearchParams(location.search).get("lang");
}

// a browser that stores nothing throws
function stored() {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function store(code) {
  try {
    localStorage.setItem(STORAGE_KEY, code);
  } catch {
    // the choice holds until the page is closed
  }
}
