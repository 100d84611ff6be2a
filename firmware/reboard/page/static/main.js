// The table page: every part of it, and the line from the table that they hang on.

import { drawing, hangDrawings } from "/static/art.js";

import { appleTurn } from "./apple_turn.js";
import { charts } from "./charts.js";
import { connection } from "./connection.js";
import { deal } from "./deal.js";
import { faults } from "./faults.js";
import { host } from "./host.js";
import { languages } from "./language.js";
import { log } from "./log.js";
import { players } from "./players.js";
import { questionBlock } from "./question_block.js";
import { ranking } from "./ranking.js";
import { rules } from "./rules.js";
import { follow } from "./table_line.js";
import { transfers } from "./transfers.js";

const RETRY_MS = 2000;

let table = null;
let parts = [connection()];

languages(() => tell(table ? "table" : "opening", table));
const card = await patiently(async () => {
  await hangDrawings();
  return drawing("card");
});
parts = [
  ...parts,
  faults(),
  ranking(),
  players(card),
  deal(),
  transfers(),
  questionBlock(),
  appleTurn(),
  charts(),
  log(),
  rules(),
  host(),
];

/** Hand something on to every part that wants it. */
function tell(what, ...news) {
  parts.forEach((part) => part[what]?.(...news));
}

/** Do something that needs the server, as often as it takes. */
async function patiently(something) {
  for (;;) {
    try {
      return await something();
    } catch {
      tell("lost");
      await new Promise((again) => setTimeout(again, RETRY_MS));
    }
  }
}

follow({
  opening: () => tell("opening"),
  connection(state) {
    tell("connection", state);
    if (!state.connected) tell("still");
  },
  table(now) {
    table = now;
    tell("table", table);
  },
  event: (event, isPast) => tell("event", event, isPast),
  lost() {
    tell("lost");
    tell("still");
  },
});
