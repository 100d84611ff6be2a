// The bench: every part of the page, and the lines that they hang on.

import { act } from "./act.js";
import { wormApple } from "./apple.js";
import { hangDrawings } from "./art.js";
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

const LINES = { open: "live", lost: "the bench does not answer" };

const [choices] = await Promise.all([fetch("/api/bench").then((answer) => answer.json()), hangDrawings()]);
const line = document.getElementById("line");
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

/** Hand something on to every part that wants it. */
const tell = (what) => (news) => parts.forEach((part) => part[what]?.(news));

watchHands(tell("table"), typed.refused);
connect({
  hardware(now) {
    for (const name of ["block", "bank", "apple"]) {
      document.getElementById(name).hidden = !now.accessories.includes(name);
    }
    tell("hardware")(now);
  },
  event: tell("event"),
  table: tell("table"),
  line(state) {
    line.dataset.line = state;
    line.textContent = LINES[state];
  },
});
