// The bench: every part of the page, and its connection to the table.

import { announcements } from "/static/announce.js";
import { fillDrawings } from "/static/art.js";
import { firstState } from "/static/page_data.js";
import { text } from "/static/text.js";
import { loadAccessories } from "/static/words.js";

import { actForm } from "./act_form.js";
import { attached } from "./attached.js";
import { endNotices, showNotice } from "./caption.js";
import { connect } from "./connection.js";
import { demos } from "./demos.js";
import { eventLog } from "./events.js";
import { faults } from "./faults.js";
import { genericPanel, gestures } from "./generic_panel.js";
import { help } from "./help.js";
import { insideSheet } from "./inside.js";
import { watchLines } from "./line_queue.js";
import { linkBanner } from "./link_banner.js";
import { openedDevices } from "./opened_devices.js";
import { phone } from "./phone.js";
import { watchLateRequests } from "./request.js";
import { scene } from "./scene.js";
import { sceneDialog } from "./scene_dialog.js";
import { session } from "./session.js";
import { sound } from "./sound.js";
import { setupSheet } from "./setup_sheet.js";
import { startOver } from "./start_over.js";
import { time } from "./time.js";

const LINES = {
  opening: text("connecting"),
  open: text("live"),
  paused: text("paused"),
  waiting: text("▶▶ waits for you"),
  loading: text("loading the setup"),
  off: text("switched off"),
  away: text("no connection to the table"),
  lost: text("the bench does not answer"),
  full: text("too many pages are open: close one"),
};

const WAITS = text("Paused: this waits until the clock runs again");

const { breathe } = globalThis.bundled;
const LONGEST_QUOTE = 24;
const line = document.getElementById("line");
const now = { line: "opening", powered: true, pace: 1, late: null };
const parts = [];
let begin;
const askForTable = connect(receivers(), new Promise((begun) => { begin = begun; })); // meanwhile the parts are made

const { choices, past } = firstState();
fillDrawings(document);
await loadAccessories();
const typed = actForm(choices.acts);
const panels = {};
for (const name of choices.accessories) {
  await breathe();
  parts.push(panels[name] = await panelOf(name));
}
const showPage = phone();
for (const make of [
  openedDevices,
  () => demos(choices.demos, panels, typed.showRejection),
  () => attached(choices.read_only),
  () => scene(passOn("scene")),
  () => setupSheet(choices.mixed_readers, choices.table_page, showPage),
  () => sceneDialog(choices.editions),
  startOver,
  ...(choices.has_program ? [] : [() => linkBanner(choices)]),
  () => session(choices.longest_scene_s),
  () => faults(choices.faults),
  () => eventLog(past),
  announcements,
  () => time(help()),
  sound,
  () => insideSheet(choices.faults),
  ...choices.modules.map((path) => async () => (await import(path)).default()),
]) {
  await breathe();
  parts.push(await make());
}
showPage(choices.table_page);
watchLateRequests((late) => showState({ late }));
// the answer to an act is shown at once; the connection may have fetched a newer one meanwhile
watchLines((table) => { passOn("table")(table); askForTable(); }, typed.showRejection, () => {
  for (const caption of document.querySelectorAll(".accessory:not([hidden]) .says")) showNotice(caption, WAITS);
});
begin();

async function panelOf(name) {
  try {
    if (name in choices.generic) return await genericPanel(name, choices.generic[name]);
    const { default: make } = await import(`/static/accessories/${name}/panel.js`);
    return await make();
  } catch (error) {
    console.error(error); // the others play all the same
    return {};
  }
}

/** Return a function that calls this method of every part that has it. */
function passOn(method) {
  return (value) => parts.forEach((part) => part[method]?.(value));
}

/** Show at the top whether the bench answers, whether the table has power, and whether it is paused. */
function showState(change) {
  Object.assign(now, change);
  const isWaiting = now.pace === "fast" && now.rate === 1; // nothing new happens
  const pace = { 0: "paused", scene: "loading" }[now.pace] ?? (isWaiting ? "waiting" : "open");
  const off = choices.read_only ? "away" : "off";
  const open = now.late && pace !== "loading" ? "late" : now.powered ? pace : off;
  const state = now.line === "open" ? open : now.line;
  const words = state === "late" ? text("no answer yet: {what}", { what: quoted(now.late) }) : LINES[state];
  if (line.dataset.line !== state) line.dataset.line = document.body.dataset.line = state;
  if (line.textContent !== words) line.textContent = words;
}

function quoted(what) {
  return what.length > LONGEST_QUOTE ? `${what.slice(0, LONGEST_QUOTE)}…` : what;
}

/** Show what to do with the *devices* of a table that has only generic accessories. */
function showHints(devices, state) {
  const { style } = document.getElementById("events");
  const hint = JSON.stringify(gestures(devices, state).replace(/.$/, "$&."));
  if (style.getPropertyValue("--gestures") !== hint) style.setProperty("--gestures", hint);
  typed.showExample(devices.find(({ label, forms }) => forms.length && label in state.devices)?.forms[0]);
}

/** What becomes of the news from the table. */
function receivers() {
  return {
    hardware(state) {
      const present = (name) => state.accessories.includes(name);
      for (const name of choices.accessories) document.getElementById(name).hidden = !present(name);
      const ofTheirOwn = choices.accessories.filter((name) => !(name in choices.generic));
      const area = document.getElementById("table");
      area.classList.toggle("incomplete", !ofTheirOwn.every(present));
      area.classList.toggle("extended", ofTheirOwn.some(present) && Object.keys(choices.generic).some(present));
      document.body.dataset.accessories = state.accessories.join(" ");
      const generic = choices.accessories.filter(present).flatMap((name) => choices.generic[name]);
      showHints(ofTheirOwn.some(present) ? [] : [...generic, ...state.opened.filter(({ kind }) => kind !== "console")], state);
      if (now.pace === 0 && state.pace !== 0) endNotices();
      showState({ powered: state.powered, pace: state.pace, rate: state.rate });
      passOn("hardware")(state);
    },
    events(news) {
      passOn("events")(news);
      news.forEach(passOn("event"));
    },
    table: passOn("table"),
    rejection: (...why) => typed.showRejection(...why),
    state: (state) => showState({ line: state }),
  };
}
