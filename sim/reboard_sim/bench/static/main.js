// The bench: every part of the page, and its connection to the table.

import { fillDrawings } from "/static/art.js";
import { loadAccessories } from "/static/words.js";

import { act } from "./act.js";
import { connect } from "./connection.js";
import { eventLog } from "./events.js";
import { faults } from "./faults.js";
import { watchHands } from "./hands.js";
import { lookInside } from "./inside.js";
import { link } from "./link.js";
import { scene } from "./scene.js";
import { sceneDialog } from "./scene_dialog.js";
import { session } from "./session.js";
import { sound } from "./sound.js";
import { startOver } from "./start_over.js";
import { time } from "./time.js";

const LINES = {
  opening: "connecting",
  open: "live",
  standing: "paused",
  setting: "loading the setup",
  off: "switched off",
  lost: "the bench does not answer",
};

const [choices] = await Promise.all([fetch("/api/bench").then((answer) => answer.json()), fillDrawings(), loadAccessories()]);
const line = document.getElementById("line");
const now = { line: "opening", powered: true, pace: 1 };
const typed = act(choices.acts);
/** Pass something on to every part that takes it. */
const passOn = (what) => (news) => parts.forEach((part) => part[what]?.(news));
const panels = choices.accessories.map(async (name) => {
  const panel = await import(`/static/accessories/${name}/panel.js`);
  return panel.default();
});
const parts = [
  ...(await Promise.all(panels)),
  scene(passOn("scene")),
  sceneDialog(choices.editions, choices.mixed_readers),
  startOver(),
  link(choices.editions),
  session(choices.longest_scene_s),
  faults(choices.faults),
  eventLog(choices.editions),
  time(),
  sound(),
  lookInside(choices.faults, typed.refused),
];

const tablePage = document.getElementById("table-page");
tablePage.hidden = !choices.table_page;
tablePage.href = choices.table_page;

/** Show at the top whether the bench answers, whether the table has power, and whether it is paused. */
function showState(news) {
  Object.assign(now, news);
  const calm = { 0: "standing", scene: "setting" }[now.pace] ?? "open";
  const state = now.line === "open" ? (now.powered ? calm : "off") : now.line;
  line.dataset.line = state;
  if (line.textContent !== LINES[state]) line.textContent = LINES[state];
}

const showTable = passOn("table");
const askForTable = connect({
  hardware(looks) {
    for (const name of choices.accessories) {
      document.getElementById(name).hidden = !looks.accessories.includes(name);
    }
    showState({ powered: looks.powered, pace: looks.pace });
    passOn("hardware")(looks);
  },
  event: passOn("event"),
  table: showTable,
  refusal: typed.refused,
  line: (state) => showState({ line: state }),
});
// the answer to an act is shown at once; it may be older than what the connection asked for meanwhile
watchHands((table) => { showTable(table); askForTable(); }, typed.refused);
