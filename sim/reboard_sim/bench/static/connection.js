// The page's line from the table: what the hardware looks like, what happens, and what the firmware knows.

import { isPassing } from "/static/words.js";

export const NO_ANSWER = "The bench does not answer: is reboard-sim still running?";
const RETRY_MS = 2000;
const SETTLED_MS = 150;

/** Open the line. `on` has hardware(dict), event(dict), table(dict), refusal(why) and line("open" | "lost"). */
export function connect(on) {
  let line = null;
  let lastEvent = "";
  let asked = 0;
  let retry = 0;
  let plug = "";

  async function ask() {
    asked = 0;
    const answer = await fetch("/api/table").catch(() => null);
    if (answer?.ok) on.table(await answer.json());
  }

  function askSoon() {
    asked ||= setTimeout(ask, SETTLED_MS);
  }

  function look(message) {
    const now = JSON.parse(message.data);
    on.hardware(now);
    const before = plug;
    plug = `${now.powered} since ${now.switched_on_at}`;
    if (plug !== before) askSoon();
  }

  function hear(message) {
    lastEvent = message.lastEventId;
    const event = JSON.parse(message.data);
    on.event(event);
    if (!isPassing(event)) askSoon();
  }

  function open() {
    clearTimeout(retry);
    line = new EventSource(`/api/bench/live?after=${lastEvent}`);
    line.onopen = () => {
      on.line("open");
      askSoon();
    };
    line.addEventListener("hardware", look);
    line.addEventListener("refusal", (message) => on.refusal(JSON.parse(message.data).error));
    line.onmessage = hear;
    line.onerror = () => {
      on.line("lost");
      if (line.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    };
  }

  // a browser has six connections for all its windows on one server: one that nobody sees gives its own back
  document.addEventListener("visibilitychange", () => {
    clearTimeout(retry);
    line.close();
    if (!document.hidden) open();
  });
  open();
}
