// What happened, newest first: transfers as entries with an amount, other events as sentences.

import { clockTime } from "/static/clock.js";
import { capital, entry, kind, rememberEdition, sentence } from "/static/words.js";

import { element, show } from "./element.js";
import { partiesElement } from "./parties.js";
import { spoken, text } from "/static/text.js";

const MOST = 80;
const MOST_SHOWN = 100; // of all players together
const MOST_IN_SNAPSHOT = 20; // with fewer, there are no older ones

/**
 * `panels.past(table)` returns events that the panels know from before, newest first, each with its time `at` in seconds.
 * `panels.loadPast()` loads more of them. `panels.hostAction(event, table)` is what the host can do about an event.
 */
export function eventLog(panels) {
  const list = document.getElementById("events");
  const chips = document.getElementById("log-players");
  const older = document.getElementById("older");
  let events = [];
  let table = {};
  let chosen = null;
  let isWhole = false;
  let drawn = "";
  let frame = 0;

  function draw() {
    frame = 0;
    const past = panels.past(table).map((event) => ({ event, at: new Date(event.at * 1000) }));
    const all = withoutDoubles([...events, ...past]).map(({ event, at }) => ({ event, at, ...entry(event, table) }));
    drawChips(all);
    const undone = new Set(all.filter(({ event }) => event.undoes != null).map(({ event }) => key({ ...event, id: event.undoes })));
    const isAll = chosen === null;
    const shown = isAll ? all.slice(0, isWhole ? Infinity : MOST_SHOWN) : all.filter(({ parties }) => parties?.some(({ player }) => player === chosen));
    const rows = merged(shown).map((row) => described(row, undone.has(key(row.event))));
    show("no-events", shown.length === 0);
    older.hidden = !isAll || isWhole || all.length < MOST_IN_SNAPSHOT;
    const now = JSON.stringify(rows);
    if (now === drawn) return; // a button under a finger stays
    drawn = now;
    list.replaceChildren(...rows.map(line));
  }

  older.addEventListener("click", () => {
    isWhole = true;
    list.focus();
    void panels.loadPast().then(drawSoon);
  });

  function drawSoon() {
    frame ||= requestAnimationFrame(draw);
  }

  /** On the bench every time counts from the setup. */
  function clock({ t, at: past }, at) {
    const { counts_from: begin } = table;
    if (typeof begin === "number") return clockTime(t ?? past - begin, 2);
    const day = at.toDateString() === new Date().toDateString() ? {} : { weekday: "short" };
    return at.toLocaleTimeString(spoken(), { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  }

  /** Make equal rejections one after the other one row. */
  function merged(rows) {
    const made = [];
    for (const row of rows) {
      const [last, { event, why }] = [made.at(-1), row.event];
      if (event === "refused" && last?.event.event === event && last.event.why === why) last.times += 1;
      else made.push({ ...row, times: 1 });
    }
    return made;
  }

  /** A row in words. */
  function described({ event, at, parties = [], amount, why, times }, isUndone) {
    const time = clock(event, at);
    // the list of faults has the cause
    if (!amount) return { kind: kind(event), time, said: sentence({ ...event, cause: "" }, table) + (times > 1 ? ` ×${times}` : "") };
    const action = isUndone ? null : panels.hostAction(event, table);
    return { kind: "entry", time, parties, amount, why: isUndone ? text("taken back") : why, isUndone, action };
  }

  function line({ kind: className, time, said, parties, amount, why, isUndone, action }) {
    const item = element("li", "", className);
    item.append(element("time", time));
    if (said !== undefined) {
      item.append(element("span", said, "said"));
      return item;
    }
    item.classList.toggle("undone", isUndone);
    item.append(partiesElement(parties), element(isUndone ? "s" : "span", amount, "amount"), element("small", why, "why"));
    if (action) {
      const button = element("button", action.label, "plain only-host");
      button.type = "button";
      button.setAttribute("aria-label", action.about);
      button.addEventListener("click", action.run);
      item.append(button);
    }
    return item;
  }

  /** A button for each player in the list. It leaves the entries of that player. */
  function drawChips(all) {
    const players = new Map(all.flatMap(({ parties = [] }) => parties).filter(({ player }) => player).map((one) => [one.player, one]));
    if (!players.has(chosen)) chosen = null;
    const sorted = [...players.values()].sort((a, b) => a.player - b.player);
    const now = JSON.stringify([sorted, text("All")]);
    if (chips.dataset.players !== now) { // a button that has the focus stays
      chips.dataset.players = now;
      chips.replaceChildren(chip(null, text("All")), ...sorted.map((one) => chip(one.player, capital(one.name), one.colour)));
    }
    chips.hidden = players.size < 2;
    for (const button of chips.children) button.setAttribute("aria-pressed", button.value === String(chosen ?? ""));
  }

  function chip(player, name, colour) {
    const button = element("button", name, colour ? "party" : "");
    Object.assign(button, { type: "button", value: player ?? "" });
    if (colour) button.style.setProperty("--colour", colour);
    button.addEventListener("click", () => {
      chosen = player;
      list.scrollTop = 0;
      draw();
      if (player !== null) void panels.loadPast().then(drawSoon);
    });
    return button;
  }

  return {
    connection(state) {
      if (state !== "connecting" && state !== "live") return;
      events = []; // the server sends the latest events again
      drawSoon();
    },
    table(now) {
      table = now;
      rememberEdition(now);
      drawSoon();
    },
    event(event, isPast) {
      rememberEdition(event);
      if (kind(event) === "detail") return;
      const ago_s = isPast && table.t !== undefined ? Math.max(0, table.t - event.t) : 0;
      events.unshift({ event, at: new Date(Date.now() - ago_s * 1000) });
      events.length = Math.min(events.length, MOST);
      drawSoon();
    },
  };
}

function withoutDoubles(rows) {
  const seen = new Set();
  return rows.filter(({ event }) => {
    const isNew = !seen.has(key(event));
    if (event.id !== undefined) seen.add(key(event));
    return isNew;
  });
}

/** Events that have the same id are the same. */
function key({ event, id }) {
  return id === undefined ? null : `${event} ${id}`;
}
