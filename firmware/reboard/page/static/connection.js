// What the page is about, and whether the table answers.

import { text, titleOf } from "./language.js";

export function connection() {
  const line = document.getElementById("connection");
  const title = document.getElementById("title");
  const sound = document.getElementById("sound");
  let state = "opening";
  let why = "";

  function tell(now, reason = "") {
    state = now;
    why = reason;
    say();
  }

  function say() {
    document.body.dataset.connection = state;
    line.dataset.line = { live: "open", away: "off" }[state] ?? state;
    if (line.textContent !== text(state)) line.textContent = text(state); // said again only when it is something new
    line.title = why;
  }

  return {
    connection: ({ connected, why: reason }) => tell(connected ? "live" : "away", reason ?? ""),
    opening: () => tell("opening"),
    lost: () => tell("lost"),
    table(now) {
      const isPlayed = now.deal != null || now.block != null; // an apple alone belongs to no edition
      document.title = title.textContent = isPlayed ? titleOf(now) : text("table");
      sound.textContent = now.volume ? text("soundAt", now) : text("soundOff");
      say();
    },
  };
}
