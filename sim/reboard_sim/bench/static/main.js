// The bench: every part of the page, and the lines that they hang on.

import { hangDrawings } from "/static/art.js";

import { act } from "./act.js";
import { wormApple } from "./apple.js";
import { questionBlock } from "./block.js";
import { bankCards } from "./cards.js";
import { connect } from "./connection.js";
import { display } from "./display.js";
import { edition } from "./edition.js";
import { eventLog } from "./events.js";
import { watchHands } from "./hands.js";
import { keypad } from "./keypad.js";
import { sound } from "./sound.js";
import { trouble } from "./trouble.js";

const LINES = { opening: "connecting", open: "live", off: "switched off", lost: "the bench does not answer" };

const [choices] = await Promise.all([fetch("/api/bench").then((answer) => answer.json()), hangDrawings()]);
const line = document.getElementById("line");
const now = { line: "opening", powered: true };
const typed = act(choices.acts);
const parts = [
  questionBlock(),
  await bankCards(),
  display(),
  keypad(),
  wormApple(),
  edition(choices.editions),
  trouble(choices.faults),
  eventLog(choices.editions),
];
sound();

/** Tell at the top whether there is a bench, and whether the table has power. */
function tellLine(news) {
  Object.assign(now, news);
  const state = now.line === "open" && !now.powered ? "off" : now.line;
  line.dataset.line = state;
  if (line.textContent !== LINES[state]) line.textContent = LINES[state];
}

/** Hand something on to every part that wants it. */
const tell = (what) => (news) => parts.forEach((part) => part[what]?.(news));

watchHands(tell("table"), typed.refused);
connect({
  hardware(looks) {
    for (const name of ["block", "bank", "apple"]) {
      document.getElementById(name).hidden = !looks.accessories.includes(name);
    }
    tellLine({ powered: looks.powered });
    tell("hardware")(looks);
  },
  event: tell("event"),
  table: tell("table"),
  line: (state) => tellLine({ line: state }),
});
