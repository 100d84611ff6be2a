// The tables as tiles: players, balances, the leader, the game clock, a deal, faults, and how long a table is silent.

import { cardColour } from "/static/card_colour.js";
import { causeName, partName } from "/static/words.js";

import { element, show } from "./element.js";
import { titleOf } from "./language.js";
import { amount, spoken, text } from "/static/text.js";

const byName = new Intl.Collator("en", { numeric: true }).compare;

/** All tables. */
export function allTables() {
  const list = document.getElementById("tables");
  const chips = { all: document.getElementById("show-all"), troubled: document.getElementById("show-troubled") };
  const tiles = new Map();
  let known = new Map();
  let chosen = "all";
  show("tables-view", true);
  for (const [name, chip] of Object.entries(chips)) {
    chip.addEventListener("click", () => {
      chosen = name;
      arrange();
    });
  }

  function arrange() {
    for (const [name, chip] of Object.entries(chips)) chip.setAttribute("aria-pressed", name === chosen);
    for (const [name, item] of tiles) item.classList.toggle("left-out", chosen === "troubled" && !isTroubled(known.get(name)));
    const all = [...known.values()];
    const stale = all.filter((table) => table.stale).length;
    const faulty = all.filter(hasFaults).length;
    document.getElementById("counts").textContent = [
      text("{count} live", { count: all.length - stale }),
      stale && text("{count} offline", { count: stale }),
      faulty && text("{count} with faults", { count: faulty }),
    ].filter(Boolean).join(" · ");
    show("no-tables", all.length === 0);
  }

  return {
    draw(tables, changed) {
      known = tables;
      for (const [name, item] of tiles) {
        if (!tables.has(name)) {
          item.remove();
          tiles.delete(name);
        }
      }
      const isNew = [...tables.keys()].some((name) => !tiles.has(name));
      for (const [name, table] of tables) {
        if (!tiles.has(name)) tiles.set(name, element("li", "", "sheet tile"));
        else if (changed && !changed.has(name)) continue;
        fill(tiles.get(name), table, true);
      }
      if (isNew) list.replaceChildren(...[...tiles].sort(([one], [other]) => byName(one, other)).map(([, item]) => item));
      arrange();
    },
  };
}

/** The table with a name. */
export function oneTable(name) {
  const list = document.getElementById("table");
  const item = element("li", "", "sheet tile");
  document.getElementById("table-title").textContent = name;
  document.title = name;
  list.append(item);
  show("table-view", true);
  return {
    draw(tables, changed) {
      const table = tables.get(name);
      item.hidden = !table;
      if (table && (!changed || changed.has(name))) fill(item, table, false);
    },
  };
}

function isTroubled(table) {
  return table.stale || hasFaults(table);
}

function hasFaults({ faults }) {
  return Object.keys(faults).length > 0;
}

function fill(item, table, isLink) {
  item.dataset.tv = "";
  item.dataset.table = table.name;
  item.classList.toggle("stale", table.stale);
  item.replaceChildren(head(table, isLink), ...notes(table, isLink), table.cards.length ? players(table) : element("p", text("No players yet"), "quiet"));
}

function head(table, isLink) {
  const made = element("div", "", "sheet-head");
  const title = element("h3");
  title.append(isLink ? link(table.name) : table.name);
  const game = table.game === null ? "" : text("Game {game}", table);
  made.append(title, element("p", [game, table.clock !== null && !table.ended && !table.stale ? text("{clock} min left", table) : ""].filter(Boolean).join(" · ")));
  if (table.title) made.append(element("p", titleOf(table), "edition"));
  return made;
}

function link(name) {
  const made = element("a", name);
  made.href = `/tables/${encodeURIComponent(name)}`;
  return made;
}

function notes(table, isShort) {
  const made = [];
  if (table.stale) made.push(element("p", table.seen_at === null ? text("Not seen yet") : text("Last seen {at}", { at: time(table.seen_at) }), "state-note stale-note"));
  if (table.deal && !table.stale) made.push(element("p", text("Auction!"), "state-note deal-note"));
  if (table.ended) made.push(element("p", text("Game over"), "state-note ended-note"));
  for (const [part, cause] of Object.entries(table.faults)) {
    const note = element("p", text("Fault: {part}", { part: partName(part) }), "state-note fault-note");
    if (isShort) note.title = causeName(cause);
    else note.append(detail(cause));
    made.push(note);
  }
  return made;
}

/** The cause of a fault, for the person who repairs it. */
function detail(cause) {
  const made = element("small", causeName(cause));
  if (made.textContent === cause) made.lang = "en";
  return made;
}

/** The players by what they have, after the end by their places. */
function players(table) {
  const made = element("ol", "", "players");
  const rows = table.ended ? table.ended.ranking : standing(table.cards);
  for (const { number, name, shown, retired, place } of rows) {
    const row = element("li", "", retired ? "retired" : place === 1 ? "leader" : "");
    const chip = element("span", number, "chip");
    chip.style.setProperty("--card", cardColour(number));
    chip.setAttribute("aria-hidden", "true");
    const who = element("span", name || text("card {number}", { number }), "name");
    if (place === 1) who.append(star());
    row.append(chip, who, element("span", retired ? text("bankrupt") : amount(shown), "balance"));
    made.append(row);
  }
  if (table.pot) made.append(element("li", text("Free Parking pot: {shown}", { shown: amount(table.pot) }), "pot"));
  return made;
}

/**
 * The cards, richest first. Who shares the most with others leads too; while all have the same, there is no leader. A
 * card that does not play yet never leads.
 */
function standing(cards) {
  const players = cards.filter(({ playing, retired }) => playing || retired);
  const most = Math.max(...players.map(({ balance }) => balance));
  const isOpen = players.every(({ balance }) => balance === most);
  return cards
    .toSorted((one, other) => one.retired - other.retired || other.balance - one.balance || one.number - other.number)
    .map((card) => ({ ...card, place: !isOpen && card.playing && card.balance === most ? 1 : 0 }));
}

function star() {
  const made = element("span", "★", "star");
  made.title = text("leads");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", text("leads"));
  return made;
}

/** A time of today as 20:14, of another day with its date. */
export function time(seconds) {
  const at = new Date(seconds * 1000);
  const day = at.toDateString() === new Date().toDateString() ? {} : { day: "numeric", month: "short" };
  return at.toLocaleString(spoken(), { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}
