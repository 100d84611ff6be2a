// The table page: connects its parts with the table.

import { announcements } from "/static/announce.js";
import { firstState } from "/static/page_data.js";

import { connection } from "./connection.js";
import { editionRules } from "./edition_rules.js";
import { eventLog } from "./event_log.js";
import { follow } from "./event_stream.js";
import { faults } from "./faults.js";
import { host } from "./host.js";
import { invite } from "./invite.js";
import { chooseLanguage } from "./language.js";
import { loadPanels } from "./panels.js";
import { readAloud } from "./read_aloud.js";
import { tvView } from "./tv_view.js";
import { wakeLock } from "./wake_lock.js";

const first = firstState();
const parts = [];
let begin;
follow({
  welcome({ version, host }) {
    // reboard was upgraded; a dialog may hold something that the user has typed
    if (version !== first.version && !document.querySelector("dialog[open]")) location.reload();
    each("host", host);
  },
  connection: (state, why) => each("connection", state, why),
  table: (table) => each("table", table),
  event: (event, isPast) => each("event", event, isPast),
}, new Promise((begun) => { begin = begun; })); // meanwhile the panels are made

const hosting = host();
parts.push(connection(), faults(), hosting);
tvView();
chooseLanguage();
wakeLock();
readAloud();
const panels = await loadPanels(hosting);
invite(panels.codeToJoin);
parts.push(panels, editionRules(() => panels.usesEdition()), eventLog(panels), announcements());
if (first.table) each("table", first.table);
requestAnimationFrame(() => delete document.body.dataset.loading); // after the list of events is drawn
begin();

/** Call a method of each part that has it. */
function each(method, ...args) {
  for (const part of parts) part[method]?.(...args);
}
