// The connection to the table: the devices, the events and the snapshot of the firmware.

import { isPassing } from "/static/words.js";

import { asking } from "./asking.js";

export const NO_ANSWER = "The bench does not answer. Check that reboard-sim is running.";
const RETRY_MS = 2000;

/** Connect. Returns a function that asks for the table soon. `on` has hardware(dict), event(dict), table(dict), refusal(why) and line("open" | "lost"). */
export function connect(on) {
  let line = null;
  let lastEvent = "";
  let retry = 0;
  let plug = "";

  const table = asking("/api/table", on.table);

  function look(message) {
    const now = JSON.parse(message.data);
    on.hardware(now);
    on.line("open"); // not before: the user must see the devices first
    const before = plug;
    plug = `${now.powered} since ${now.switched_on_at}`;
    if (plug !== before) table.soon();
  }

  function hear(message) {
    lastEvent = message.lastEventId;
    const event = JSON.parse(message.data);
    on.event(event);
    if (!isPassing(event)) table.soon();
  }

  function open() {
    clearTimeout(retry);
    line = new EventSource(`/api/bench/live?after=${lastEvent}`);
    line.onopen = table.soon;
    line.addEventListener("hardware", look);
    line.addEventListener("refusal", (message) => on.refusal(JSON.parse(message.data).error));
    line.onmessage = hear;
    line.onerror = () => {
      on.line("lost");
      if (line.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    };
  }

  // a browser opens six connections to one server for all its windows: a hidden window closes its own
  document.addEventListener("visibilitychange", () => {
    clearTimeout(retry);
    line.close();
    table.rest();
    if (!document.hidden) open();
  });
  open();
  return table.soon;
}
