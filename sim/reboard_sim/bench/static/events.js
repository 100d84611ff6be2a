// The list of events.

import { clockTime } from "/static/clock.js";
import { kind, rememberEdition, sentence } from "/static/words.js";

const MOST = 200;
const MOST_A_FRAME = 25; // a fast table has hundreds of events a second

/** `past` are the latest events from before the page was opened. Amounts are in the money of the table, so rows wait for it. */
export function eventLog(past) {
  const list = document.getElementById("events");
  const showAll = document.getElementById("every");

  const waiting = []; // for the next frame
  let drawing = 0;
  let table = null;

  showAll.addEventListener("change", () => list.classList.toggle("terse", !showAll.checked));

  function draw() {
    const taken = waiting.splice(0, MOST_A_FRAME);
    drawing = waiting.length ? requestAnimationFrame(draw) : 0;
    const rows = taken.map(row).reverse();
    list.prepend(...rows);
    while (list.children.length > MOST) list.lastChild.remove();
    showQuiet();
  }

  function drawSoon() {
    if (table && waiting.length) drawing ||= requestAnimationFrame(draw);
  }

  function showPast() {
    const earlier = past.splice(0);
    list.prepend(...earlier.slice(lastScene(earlier) + 1).map(row).reverse());
    showQuiet();
  }

  function showQuiet() {
    list.classList.toggle("quiet", !list.querySelector("li:not(.detail)"));
  }

  function row(event) {
    rememberEdition(event);
    const time = document.createElement("time");
    time.textContent = clockTime(event.t, 2);
    const made = document.createElement("li");
    made.className = kind(event);
    made.append(time, sentence(event, table));
    return made;
  }

  return {
    table(now) {
      table = now;
      rememberEdition(now);
      showPast();
      drawSoon();
    },
    events(news) {
      const scene = lastScene(news);
      if (scene >= 0) {
        past.length = 0;
        list.replaceChildren();
        showQuiet();
        waiting.length = 0;
      }
      waiting.push(...news.slice(scene + 1));
      waiting.splice(0, waiting.length - MOST);
      drawSoon();
    },
  };
}

function lastScene(events) {
  return events.findLastIndex(({ event }) => event === "scene");
}
