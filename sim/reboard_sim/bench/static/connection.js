// The connection to the table: the devices, the events and the snapshot of the firmware.

import { firstState } from "/static/page_data.js";
import { isPassing } from "/static/words.js";

import { debouncedFetch } from "./debounced_fetch.js";

export const NO_ANSWER = "The bench does not answer. Check that reboard-sim is running.";
const RETRY_MS = 2000;

/**
 * Connect. Returns a function that fetches the table soon.
 *
 * `on` has hardware(dict), event(dict), table(dict), rejection(why) and state("open" | "lost").
 */
export function connect(on) {
  let stream = null;
  let { table: known, after: lastEvent } = firstState(); // the table as it was after that event
  let retry = 0;
  let power = "";

  const table = debouncedFetch("/api/table", on.table);

  function updateHardware(message) {
    const now = JSON.parse(message.data);
    on.hardware(now);
    on.state("open"); // not earlier: the user must see the devices first
    const before = power;
    power = `${now.powered} since ${now.switched_on_at}`;
    if (known) on.table(known);
    else if (power !== before) table.soon();
    known = null;
  }

  function receive(message) {
    lastEvent = message.lastEventId;
    const event = JSON.parse(message.data);
    on.event(event);
    if (!isPassing(event)) table.soon();
  }

  function open() {
    clearTimeout(retry);
    stream = new EventSource(`/api/bench/live?after=${lastEvent}`);
    stream.onopen = () => known || table.soon();
    stream.addEventListener("hardware", updateHardware);
    stream.addEventListener("refusal", (message) => on.rejection(JSON.parse(message.data).error));
    stream.onmessage = receive;
    stream.onerror = () => {
      known = null; // the bench may be another one now
      on.state("lost");
      if (stream.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    };
  }

  // a browser opens at most six connections to one server, for all its windows: a hidden window closes its own
  document.addEventListener("visibilitychange", () => {
    clearTimeout(retry);
    stream.close();
    table.stop();
    if (!document.hidden) open();
  });
  open();
  return table.soon;
}
