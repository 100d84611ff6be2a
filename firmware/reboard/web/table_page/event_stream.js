// Follows the table through server-sent events, and connects again whenever the stream is dead.

import { spoken } from "/static/text.js";

const RETRY_MS = 2000;
const SILENT_MS = 40000; // the server sends a heartbeat every 15 s
const SLOW_MS = 5000; // a phone out of the Wi-Fi may get neither an answer nor an error

/**
 * Call `on.connection(state, why)` with "connecting", "live", "away" or "lost", `on.welcome({ version, host })` after each
 * connection, `on.table(table)`, and `on.event(event, isPast)`. What comes before `begun`, if given, waits for it.
 */
export function follow(on, begun) {
  let source = null;
  let retry = 0;
  let silence = 0;
  let slow = 0;

  function open() {
    close();
    void connection("connecting");
    slow = setTimeout(connection, SLOW_MS, "lost");
    source = new EventSource(`/api/events?lang=${spoken()}`);
    listen("welcome", on.welcome);
    listen("connection", ({ connected, why }) => on.connection(connected ? "live" : "away", why ?? ""));
    listen("table", on.table);
    listen("past", (event) => on.event(event, true));
    listen("message", (event) => on.event(event, false));
    listen("beat", () => {});
    source.addEventListener("error", () => {
      void connection("lost");
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    });
    watchSilence();
  }

  async function connection(state) {
    await begun;
    on.connection(state);
  }

  function listen(kind, handle) {
    source.addEventListener(kind, async (message) => {
      clearTimeout(slow);
      watchSilence();
      await begun;
      handle(message.data ? JSON.parse(message.data) : null);
    });
  }

  function watchSilence() {
    clearTimeout(silence);
    silence = setTimeout(open, SILENT_MS);
  }

  function close() {
    clearTimeout(retry);
    clearTimeout(silence);
    clearTimeout(slow);
    source?.close();
  }

  // a phone that sleeps drops its connections, and a browser opens only six to one server, for all its tabs together
  function openIfSeen() {
    if (document.hidden) close();
    else open();
  }
  document.addEventListener("visibilitychange", openIfSeen);
  window.addEventListener("online", openIfSeen);
  window.addEventListener("offline", openIfSeen);
  openIfSeen();
}
