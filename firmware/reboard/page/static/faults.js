// What is wrong at the table, while it is. What the table says of it is for whoever mends it, and in English.

import { sentence } from "/static/words.js";

import { element } from "./element.js";
import { text } from "./language.js";

export function faults() {
  const list = document.getElementById("faults");
  let said = "";

  function line([part, cause]) {
    const item = element("li", "");
    const more = element("details", "");
    const says = element("p", cause);
    says.lang = "en";
    more.append(element("summary", text("cause")), says);
    item.append(element("p", sentence({ event: "fault", part })), more);
    return item;
  }

  return {
    table({ faults: now = {} }) {
      const is = JSON.stringify([text("cause"), now]);
      if (is === said) return; // what somebody has opened stays open
      said = is;
      list.hidden = Object.keys(now).length === 0;
      list.replaceChildren(...Object.entries(now).map(line));
    },
  };
}
