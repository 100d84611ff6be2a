// The caption of an accessory: the next step.

import { announce } from "/static/announce.js";

const shows = new Map();
const notices = new Map();

/** Return a function that shows what `sentence()` returns, unless that is empty, in the element with this id. */
export function caption(id, sentence) {
  const element = document.getElementById(id);
  const show = () => {
    const text = notices.get(element) ?? sentence();
    if (text && element.textContent !== text) element.textContent = text;
  };
  shows.set(element, show);
  return show;
}

/** Show `text` in this caption until the next input, for `most_ms` at most, and have a screen reader say it. */
export function showNotice(element, text, most_ms = null) {
  notices.set(element, text);
  shows.get(element)?.();
  announce(text);
  if (most_ms) setTimeout(() => endNotice(element, text), most_ms);
}

function endNotice(element, text) {
  if (notices.get(element) !== text) return;
  notices.delete(element);
  shows.get(element)?.();
}

/** End all notices. */
export function endNotices() {
  if (!notices.size) return;
  notices.clear();
  for (const show of shows.values()) show();
}

for (const input of ["pointerdown", "keydown"]) document.addEventListener(input, endNotices, true);
