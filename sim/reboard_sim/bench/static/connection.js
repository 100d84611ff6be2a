// The page's lines from the table: what the hardware looks like, what happens, and what the firmware knows.

import { isPassing } from "/static/words.js";

export const NO_ANSWER = "The bench does not answer: is reboard-sim still running?";
const RETRY_MS = 2000;
const SETTLED_MS = 150;

/** Open the lines. `on` has hardware(dict), event(dict), table(dict) and line("open" | "lost"). */
export function connect(on) {
  let lines = [];
  let lastEvent = "";
  let asked = 0;
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

  function open() {
    lines = [
      listen("/api/bench/state", look, (state) => {
        on.line(state);
        if (state === "open") askSoon();
      }),
      listen(`/api/events?after=${lastEvent}`, (message) => {
        lastEvent = message.lastEventId;
        const event = JSON.parse(message.data);
        on.event(event);
        if (!isPassing(event)) askSoon();
      }),
    ];
  }

  // a browser has six connections for all its pages on one server: one that nobody sees gives its own back
  document.addEventListener("visibilitychange", () => {
    lines.splice(0).forEach((line) => line.close());
    if (!document.hidden) open();
  });
  open();
}

function listen(path, heard, changed = () => {}) {
  let source;
  let retry = 0;
  function open() {
    source = new EventSource(path);
    source.onopen = () => changed("open");
    source.onmessage = heard;
    source.onerror = () => {
      changed("lost");
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    };
  }
  open();
  return {
    close() {
      clearTimeout(retry);
      source.close();
    },
  };
}
