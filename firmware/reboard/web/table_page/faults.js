// The faults of the table. The cause is for the person who repairs it.

import { causeName, sentence } from "/static/words.js";

import { element } from "./element.js";
import { text } from "/static/text.js";

export function faults() {
  const list = document.getElementById("faults");
  let shown = new Map();

  function line(part, cause) {
    const key = JSON.stringify([text("Details for the repair"), cause]);
    const before = shown.get(part);
    if (before?.key === key) return before; // an open cause stays open
    const item = element("li");
    const more = element("details");
    const words = element("p", causeName(cause));
    if (words.textContent === cause) words.lang = "en";
    more.append(element("summary", text("Details for the repair")), words);
    item.append(element("p", sentence({ event: "fault", part })), more);
    return { key, item };
  }

  return {
    table({ faults: now = {} }) {
      shown = new Map(Object.entries(now).map(([part, cause]) => [part, line(part, cause)]));
      const items = [...shown.values()].map(({ item }) => item);
      for (const item of [...list.children]) if (!items.includes(item)) item.remove();
      list.append(...items.filter((item) => !item.isConnected));
      list.hidden = items.length === 0;
    },
  };
}
