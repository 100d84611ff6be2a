// The connection to the table: the devices, the events and the snapshot of the firmware, and on request the sound and the
// signals inside. All of it comes through one WebSocket, because a browser opens only six other connections to one server,
// for all its windows together.

import { firstState } from "/static/page_data.js";
import { text } from "/static/text.js";
import { isPassing } from "/static/words.js";

import { debouncedFetch } from "./debounced_fetch.js";

export const NO_ANSWER = `${text("The bench does not answer.")} ${firstState().choices.remedy}`;
const RETRY_MS = 2000;
const TOO_MANY = 1013;

const receivers = new Map(); // by topic
let socket = null;

/** Call `receive` with each message about `topic`, "sound" or "inside". Returns a function that ends it. */
export function listenTo(topic, receive) {
  receivers.set(topic, receive);
  sendTopics();
  return () => {
    receivers.delete(topic);
    sendTopics();
  };
}

function sendTopics() {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ topics: [...receivers.keys()] }));
}

/**
 * Connect. Returns a function that fetches the table soon. The news that come before `begun` wait for it.
 *
 * `on` has hardware(dict), events(list), table(dict), rejection(why) and state("open" | "lost" | "full").
 */
export function connect(on, begun) {
  let { table: known, after: lastEvent } = firstState(); // the table as it was after that event
  let retry = 0;
  let power = "";

  const table = debouncedFetch("api/table", on.table);

  function updateHardware(now) {
    on.hardware(now);
    on.state("open"); // not earlier: the user must see the devices first
    const before = power;
    power = `${now.powered} since ${now.switched_on_at}`;
    if (known) on.table(known);
    else if (power !== before) table.soon();
    known = null;
  }

  function receive({ hardware, events, refusals = [], inside }) {
    if (hardware) updateHardware(hardware);
    if (events) {
      [lastEvent] = events.at(-1);
      const news = events.map(([, event]) => event);
      on.events(news);
      if (!news.every(isPassing)) table.soon();
    }
    for (const why of refusals) on.rejection(why, "en");
    if (inside) receivers.get("inside")?.(inside);
  }

  function open() {
    close();
    const mine = socket = new WebSocket(new URL(`api/bench/live?after=${lastEvent}`, document.baseURI.replace("http", "ws")));
    mine.binaryType = "arraybuffer";
    mine.onopen = async () => {
      await begun;
      if (!known) table.soon();
      if (receivers.size) sendTopics();
    };
    mine.onmessage = async ({ data }) => {
      await begun;
      if (mine !== socket) return;
      if (typeof data === "string") receive(JSON.parse(data));
      else receivers.get("sound")?.(data);
    };
    mine.onclose = async ({ code }) => {
      await begun;
      if (mine !== socket) return;
      known = null; // the bench may be another one now
      on.state(code === TOO_MANY ? "full" : "lost");
      retry = setTimeout(open, RETRY_MS);
    };
  }

  function close() {
    clearTimeout(retry);
    const before = socket;
    socket = null;
    before?.close();
  }

  function openIfSeen() {
    table.stop();
    if (document.hidden) close();
    else open();
  }
  document.addEventListener("visibilitychange", openIfSeen);
  openIfSeen();
  return table.soon;
}
