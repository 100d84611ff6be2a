// The table page: every part of it, and the line from the table that they hang on.

import { hangDrawings } from "/static/art.js";

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

let table = null;

languages(() => tell("table", table ?? {}));
await hangDrawings();
const parts = [
  connection(),
  faults(),
  ranking(),
  players(),
  deal(),
  charts(),
  transfers(),
  questionBlock(),
  appleTurn(),
  log(),
  rules(),
  host(),
];

/** Hand something on to every part that wants it. */
function tell(what, ...news) {
  parts.forEach((part) => part[what]?.(...news));
}

follow({
  connection: (state) => tell("connection", state),
  table(now) {
    table = now;
    tell("table", table);
  },
  event: (event, isPast) => tell("event", event, isPast),
  lost: () => tell("lost"),
});
