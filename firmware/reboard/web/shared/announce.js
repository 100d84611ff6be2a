// Announcements to screen readers, in the page's one live region for what happens.

import { announcement } from "./words.js";

const FIRST_MS = 400; // so that a burst is one announcement
const NEXT_MS = 2500; // a screen reader may still be speaking
const LATE_MS = 1500; // for the table after an event, with its balances
const RETRY_MS = 100;
const MOST = 4;

let waiting = [];
let timer = 0;
let saidAt = -NEXT_MS;

/**
 * Have a screen reader say a sentence, or what a function returns when it is time, after what it is saying now. The
 * function returns null to be called again soon. In a burst only the latest sentences are said, in their order. An
 * `isAside` is said only while nothing else happens.
 */
export function announce(sentence, isAside = false) {
  waiting.push({ sentence, isAside });
  timer ||= setTimeout(say, Math.max(FIRST_MS, saidAt + NEXT_MS - performance.now()));
}

function say() {
  timer = 0;
  const matters = waiting.filter(({ isAside }) => !isAside);
  const said = (matters.length ? matters.slice(-MOST) : waiting.slice(-1)).map(({ sentence }) => (typeof sentence === "string" ? sentence : sentence()));
  if (said.includes(null)) {
    timer = setTimeout(say, RETRY_MS);
    return;
  }
  waiting = [];
  const words = said.filter(Boolean).join(" ");
  if (!words) return;
  saidAt = performance.now();
  const element = document.createElement("span"); // a new one, so that the same words are read again
  element.textContent = words;
  document.getElementById("announcer").replaceChildren(element);
}

/** A part of a page that announces the events of its table, but not past ones. */
export function announcements() {
  let table = {};
  let updates = 0;
  return {
    table(now) {
      table = now;
      updates += 1;
    },
    event(event, isPast = false) {
      if (isPast || !announcement(event, table)) return;
      const [before, late] = [updates, performance.now() + LATE_MS];
      announce(() => (updates > before || performance.now() > late ? announcement(event, table) : null));
    },
  };
}
