// The list of events, and their announcement to screen readers.

import { kind, sentence } from "/static/words.js";

import { announce } from "./announce.js";

const MOST = 200;

export function eventLog(editions) {
  const list = document.getElementById("events");
  const showAll = document.getElementById("every");

  let units = false;

  showAll.addEventListener("change", () => list.classList.toggle("terse", !showAll.checked));

  return {
    table({ edition }) {
      units = Boolean(editions.find(({ name }) => name === edition)?.units);
    },
    event(event) {
      if (event.event === "scene") {
        list.replaceChildren();
        return;
      }
      const text = sentence(event, { units });
      const shown = kind(event);
      const time = document.createElement("time");
      time.textContent = `${event.t.toFixed(2)} s`;
      const row = document.createElement("li");
      row.className = shown;
      row.append(time, text);
      list.prepend(row);
      while (list.children.length > MOST) list.lastChild.remove();
      if (shown !== "detail") announce(text);
    },
  };
}
