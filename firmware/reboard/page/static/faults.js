// What is wrong at the table, while it is.

import { partName } from "/static/words.js";

import { element } from "./element.js";

export function faults() {
  const list = document.getElementById("faults");
  let said = "";

  return {
    table({ faults: now = {} }) {
      const lines = Object.entries(now).map(([part, cause]) => `${partName(part)}: ${cause}`);
      if (lines.join() === said) return;
      said = lines.join();
      list.hidden = lines.length === 0;
      list.replaceChildren(...lines.map((line) => element("li", line)));
    },
  };
}
