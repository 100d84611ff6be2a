// What happened: a list to read, and an announcer for those who listen.

import { mood, sentence } from "/static/words.js";

import { announce } from "./announce.js";

const MOST = 200;

export function eventLog(editions) {
  const list = document.getElementById("events");
  const every = document.getElementById("every");

  let units = false;

  every.addEventListener("change", () => list.classList.toggle("terse", !every.checked));

  return {
    table({ edition }) {
      units = Boolean(editions.find(({ name }) => name === edition)?.units);
    },
    event(event) {
      if (event.event === "scene") {
        list.replaceChildren();
        return;
      }
      const text = sentence(event, units);
      const kind = mood(event);
      const time = document.createElement("time");
      time.textContent = `${event.t.toFixed(2)} s`;
      const row = document.createElement("li");
      row.className = kind;
      row.append(time, text);
      list.prepend(row);
      while (list.children.length > MOST) list.lastChild.remove();
      if (kind !== "wire") announce(text);
    },
  };
}
