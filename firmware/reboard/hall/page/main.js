// The hall's page: all tables, one table with its transfers, or the standings, by the address.

import { firstState } from "/static/page_data.js";
import { loadAccessories } from "/static/words.js";

import { announcements } from "./announcements.js";
import { bigScreen } from "./big_screen.js";
import { showMessage } from "./element.js";
import { follow } from "./event_stream.js";
import { history } from "./history.js";
import { invite } from "./invite.js";
import { chooseLanguage } from "./language.js";
import { text } from "/static/text.js";
import { ranked } from "./ranked.js";
import { allTables, oneTable } from "./tables.js";
import { tvView } from "./tv_view.js";
import { wakeLock } from "./wake_lock.js";

const STATES = {
  connecting: text("Connecting …"),
  live: text("Live"),
  away: text("No connection to the tables"),
  lost: text("No connection to the hall. Trying again …"),
};
const LINES = { live: "open", away: "off", connecting: "opening" };

const first = firstState();
const tables = new Map();
const line = document.getElementById("connection");
let state = "connecting";
let why = "";

tvView();
await loadAccessories();
const [, place, name] = location.pathname.split("/");
const parts = partsOf(place);
chooseLanguage();
invite();
wakeLock();
document.querySelector("[data-close]").addEventListener("click", ({ target }) => target.closest("dialog").close());
take(first.tables);
void Promise.allSettled(parts.map(({ loaded }) => loaded)).then(() => delete document.body.dataset.loading); // nothing moves afterwards

follow({
  welcome({ version }) {
    if (version !== first.version && !document.querySelector("dialog[open]")) location.reload(); // reboard was upgraded
  },
  connection(now, reason) {
    state = now;
    why = reason ?? "";
    showConnection();
  },
  table: take,
  event() {},
});

function partsOf(path) {
  const isTv = document.body.dataset.view === "tv";
  if (isTv) return [allTables(), ranked(), bigScreen()];
  if (path === "standings") return [ranked()];
  if (path === "tables") return [oneTable(name), history(name), announcements((table) => table === name)];
  return [allTables(), announcements(() => true)];
}

/** Take over the tables that have changed. */
function take(changed) {
  for (const table of changed) {
    if (table.gone) tables.delete(table.name);
    else tables.set(table.name, table);
  }
  draw(new Set(changed.map((table) => table.name)));
}

/** Draw everything again, or only what shows tables of a set of names. */
function draw(changed) {
  showConnection();
  for (const part of parts) part.draw(tables, changed);
}

function showConnection() {
  document.body.dataset.connection = state;
  line.dataset.line = LINES[state] ?? state;
  if (line.textContent !== STATES[state]) line.textContent = STATES[state]; // screen readers read it again whenever it is set
  showMessage(document.getElementById("problem-cause"), why);
  document.getElementById("problem").hidden = !why;
}
