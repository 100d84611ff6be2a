// The title of the page, and whether the table answers.

import { titleOf } from "./language.js";
import { text } from "/static/text.js";

const STATES = {
  connecting: text("Connecting …"),
  live: text("Live"),
  away: text("The table does not answer"),
  lost: text("No connection to the server. Trying again …"),
};
const LINES = { live: "open", away: "off", connecting: "opening" };

export function connection() {
  const line = document.getElementById("connection");
  const sound = document.getElementById("sound");
  let state = "connecting";
  let why = "";

  function show() {
    document.body.dataset.connection = state;
    line.dataset.line = LINES[state] ?? state;
    // screen readers read the line again whenever it is set
    if (line.textContent !== STATES[state]) line.textContent = STATES[state];
    line.title = why;
  }

  return {
    connection(now, reason = "") {
      state = now;
      why = reason;
      show();
    },
    table(now) {
      sound.textContent = now.volume ? text("Volume {volume} of 4", now) : text("Sound off");
      show();
    },
  };
}

/** Show the title of the edition, or a general one for a table that plays without an edition. */
export function showTitle(table, usesEdition) {
  document.title = document.getElementById("title").textContent = usesEdition ? titleOf(table) : text("The table");
}
