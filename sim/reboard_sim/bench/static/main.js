// The bench: every part of the page, and the lines that they hang on.

import { hangDrawings } from "/static/art.js";

import { act } from "./act.js";
import { wormApple } from "./apple.js";
import { questionBlock } from "./block.js";
import { bankCards } from "./cards.js";
import { connect } from "./connection.js";
import { display } from "./display.js";
import { eventLog } from "./events.js";
import { watchHands } from "./hands.js";
import { lookInside } from "./inside.js";
import { keypad } from "./keypad.js";
import { link } from "./link.js";
import { scene } from "./scene.js";
import { sceneDialog } from "./scene_dialog.js";
import { session } from "./session.js";
import { sound } from "./sound.js";
import { startOver } from "./start_over.js";
import { time } from "./time.js";
import { trouble } from "./trouble.js";

const LINES = {
  opening: "connecting",
  open: "live",
  standing: "the clock stands",
  setting: "the table is being set",
  off: "switched off",
  lost: "the bench does not answer",
};

const [choices] = await Promise.all([fetch("/api/bench").then((answer) => answer.json()), hangDrawings()]);
const line = document.getElementById("line");
const now = { line: "opening", powered: true, pace: 1 };
const typed = act(choices.acts);
/** Hand something on to every part that wants it. */
const tell = (what) => (news) => parts.forEach((part) => part[what]?.(news));
const parts = [
  questionBlock(),
  await bankCards(),
  display(),
  keypad(),
  wormApple(),
  scene(tell("scene")),
  sceneDialog(choices.editions, choices.mixed_readers),
  startOver(),
  link(choices.editions),
  session(choices.longest_scene_s),
  trouble(choices.faults),
  eventLog(choices.editions),
  time(),
  sound(),
  lookInside(choices.faults, typed.refused),
];

const tablePage = document.getElementById("table-page");
tablePage.hidden = !choices.table_page;
tablePage.href = choices.table_page;

/** Tell at the top whether there is a bench, whether the table has power, and how its clock goes. */
function tellLine(news) {
  Object.assign(now, news);
  const calm = { 0: "standing", scene: "setting" }[now.pace] ?? "open";
  const state = now.line === "open" ? (now.powered ? calm : "off") : now.line;
  line.dataset.line = state;
  if (line.textContent !== LINES[state]) line.textContent = LINES[state];
}

const tellTable = tell("table");
const askForTable = connect({
  hardware(looks) {
    for (const name of ["block", "bank", "apple"]) {
      document.getElementById(name).hidden = !looks.accessories.includes(name);
    }
    tellLine({ powered: looks.powered, pace: looks.pace });
    tell("hardware")(looks);
  },
  event: tell("event"),
  table: tellTable,
  refusal: typed.refused,
  line: (state) => tellLine({ line: state }),
});
// what a hand is answered is told at once, and may be older than what the line asked for meanwhile
watchHands((table) => { tellTable(table); askForTable(); }, typed.refused);
