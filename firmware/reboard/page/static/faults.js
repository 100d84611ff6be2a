// What is wrong at the table, while it is. What the table says of it is for whoever mends it, and in English.

import { sentence } from "/static/words.js";

import { element } from "./element.js";
import { text } from "./language.js";

export function faults() {
  const list = document.getElementById("faults");
  let shown = new Map();
  let said = "";

  function line(part, says) {
    const key = JSON.stringify([text("cause"), says]);
    const before = shown.get(part);
    if (before?.key === key) return before; // what somebody has opened stays open
    const item = element("li");
    const more = element("details");
    const words = element("p", says);
    words.lang = "en";
    more.append(element("summary", text("cause")), words);
    item.append(element("p", sentence({ event: "fault", part })), more);
    return { key, item };
  }

  return {
    table({ faults: now = {} }) {
      const is = JSON.stringify([text("cause"), now]);
      if (is === said) return;
      said = is;
      shown = new Map(Object.entries(now).map(([part, says]) => [part, line(part, says)]));
      const items = [...shown.values()].map(({ item }) => item);
      for (const item of [...list.children]) if (!items.includes(item)) item.remove();
      list.append(...items.filter((item) => !item.isConnected));
      list.hidden = items.length === 0;
    },
  };
}
