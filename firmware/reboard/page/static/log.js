// What happened, the latest first.

import { mood, sentence } from "/static/words.js";

import { namesOf } from "./amounts.js";
import { element, show } from "./element.js";
import { spoken } from "./language.js";

const MOST = 60;
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };

export function log() {
  const list = document.getElementById("events");
  let happened = [];
  let table = {};
  let drawn = 0;

  function draw() {
    drawn = 0;
    list.replaceChildren(...happened.map(line));
    show("no-events", happened.length === 0);
  }

  function drawSoon() {
    drawn ||= requestAnimationFrame(draw);
  }

  function line({ event, at }) {
    const item = element("li", "", mood(event));
    const when = element("time", at.toLocaleTimeString(spoken(), CLOCK));
    // the cause of a fault is not for everybody: as long as it lasts it can be opened at the top
    const what = sentence({ ...event, cause: "" }, table.units, namesOf(table));
    item.append(when, element("span", what));
    return item;
  }

  return {
    connection({ connected }) {
      if (!connected) return;
      happened = []; // everything is told anew
      drawSoon();
    },
    opening() {
      happened = []; // and so it is on a new line, whether the table is there or not
    },
    table(now) {
      table = now;
      drawSoon();
    },
    event(event, isPast) {
      if (mood(event) === "wire") return;
      const ago_s = isPast && table.t !== undefined ? Math.max(0, table.t - event.t) : 0;
      happened.unshift({ event, at: new Date(Date.now() - ago_s * 1000) });
      happened.length = Math.min(happened.length, MOST);
      drawSoon();
    },
  };
}
