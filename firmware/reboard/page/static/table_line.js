// The line from the table. It is opened anew whenever it has gone dead, without anybody reloading the page.

const RETRY_MS = 2000;
const SILENT_MS = 40000; // the server says something every 15 s: after so long the line is dead, whatever the browser thinks

/** Follow the table. `on` has connection({connected, why}), table(dict), event(dict, isPast), opening() and lost(). */
export function follow(on) {
  let source = null;
  let retry = 0;
  let silence = 0;

  function open() {
    close();
    on.opening();
    source = new EventSource("/api/events");
    heard("connection", on.connection);
    heard("table", on.table);
    heard("past", (event) => on.event(event, true));
    heard("message", (event) => on.event(event, false));
    heard("beat", () => {});
    source.addEventListener("error", () => {
      on.lost();
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    });
    listen();
  }

  function heard(kind, told) {
    source.addEventListener(kind, (message) => {
      listen();
      told(message.data ? JSON.parse(message.data) : null);
    });
  }

  function listen() {
    clearTimeout(silence);
    silence = setTimeout(() => {
      on.lost();
      open();
    }, SILENT_MS);
  }

  function close() {
    clearTimeout(retry);
    clearTimeout(silence);
    source?.close();
  }

  // a phone that sleeps keeps no line: it lets go of its own, and has everything told anew when it wakes
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("online", () => document.hidden || open());
  open();
}
