// What is wrong at the table, while it is.

import { element } from "./element.js";

export function faults() {
  const list = document.getElementById("faults");

  return {
    table({ faults: now = {} }) {
      const parts = Object.entries(now);
      list.hidden = parts.length === 0;
      list.replaceChildren(...parts.map(([part, cause]) => element("li", `${part}: ${cause}`)));
    },
  };
}
