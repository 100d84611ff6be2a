// The latest events, newest first.

import { clockTime } from "/static/clock.js";
import { kind, sentence } from "/static/words.js";

import { element, show } from "./element.js";
import { spoken } from "./language.js";

const MOST = 60;
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };

export function eventLog() {
  const list = document.getElementById("events");
  let events = [];
  let table = {};
  let frame = 0;

  function draw() {
    frame = 0;
    list.replaceChildren(...events.map(line));
    show("no-events", events.length === 0);
  }

  function drawSoon() {
    frame ||= requestAnimationFrame(draw);
  }

  function line({ event, at }) {
    const item = element("li", "", kind(event));
    const isCounted = typeof table.counts_from === "number";
    const when = element("time", isCounted ? clockTime(event.t, 2) : at.toLocaleTimeString(spoken(), CLOCK));
    // the list of faults has the cause
    item.append(when, element("span", sentence({ ...event, cause: "" }, table)));
    return item;
  }

  return {
    connection(state) {
      if (state !== "connecting" && state !== "live") return;
      events = []; // the server sends the latest events again
      drawSoon();
    },
    table(now) {
      table = now;
      drawSoon();
    },
    event(event, isPast) {
      if (kind(event) === "detail") return;
      const ago_s = isPast && table.t !== undefined ? Math.max(0, table.t - event.t) : 0;
      events.unshift({ event, at: new Date(Date.now() - ago_s * 1000) });
      events.length = Math.min(events.length, MOST);
      drawSoon();
    },
  };
}
