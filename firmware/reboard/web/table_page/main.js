// The table page: connects its parts with the table.

import { connection } from "./connection.js";
import { editionRules } from "./edition_rules.js";
import { eventLog } from "./event_log.js";
import { follow } from "./event_stream.js";
import { faults } from "./faults.js";
import { host } from "./host.js";
import { ask } from "./host_api.js";
import { chooseLanguage } from "./language.js";
import { loadPanels } from "./panels.js";

const RETRY_MS = 2000;

let table = null;
let state = "connecting";
const hosting = host();
const parts = [connection(), faults(), hosting, eventLog()];

chooseLanguage(showAgain);
const panels = await untilItWorks(() => loadPanels({ act: hosting.act, ask }));
parts.push(panels, editionRules(() => panels.usesEdition()));

follow({
  connection(now, why) {
    state = now;
    each("connection", state, why);
  },
  table(now) {
    table = now;
    each("table", table);
  },
  event: (event, isPast) => each("event", event, isPast),
});

function showAgain() {
  if (table) each("table", table);
  else each("connection", state);
}

/** Call a method of each part that has it. */
function each(method, ...args) {
  for (const part of parts) part[method]?.(...args);
}

/** Retry something that needs the server. */
async function untilItWorks(load) {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      console.warn(error);
      each("connection", "lost");
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }
}
