// The table page: connects its parts with the table.

import { firstState } from "/static/page_data.js";

import { connection } from "./connection.js";
import { editionRules } from "./edition_rules.js";
import { eventLog } from "./event_log.js";
import { follow } from "./event_stream.js";
import { faults } from "./faults.js";
import { host } from "./host.js";
import { ask } from "./host_api.js";
import { invite } from "./invite.js";
import { chooseLanguage } from "./language.js";
import { loadPanels } from "./panels.js";
import { tvView } from "./tv_view.js";
import { wakeLock } from "./wake_lock.js";

const first = firstState();
let table = null;
let state = "connecting";
const hosting = host();
const parts = [connection(), faults(), hosting];

tvView();
chooseLanguage(showAgain);
invite();
wakeLock();
const panels = await loadPanels({ act: hosting.act, ask });
parts.push(panels, editionRules(() => panels.usesEdition()), eventLog(panels));
if (first.table) show(first.table);
requestAnimationFrame(() => delete document.body.dataset.loading); // after the list of events is drawn

follow({
  welcome({ version, host }) {
    // reboard was upgraded; a dialog may hold something that the user has typed
    if (version !== first.version && !document.querySelector("dialog[open]")) location.reload();
    each("host", host);
  },
  connection(now, why) {
    state = now;
    each("connection", state, why);
  },
  table: show,
  event: (event, isPast) => each("event", event, isPast),
});

function show(now) {
  table = now;
  each("table", table);
}

function showAgain() {
  if (table) each("table", table);
  else each("connection", state);
}

/** Call a method of each part that has it. */
function each(method, ...args) {
  for (const part of parts) part[method]?.(...args);
}
