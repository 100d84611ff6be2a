// Which boxed game is played.

import { hand } from "./hands.js";

export function edition(names) {
  const chooser = document.getElementById("edition");
  const act = hand();

  chooser.append(...names.map(({ name, title }) => new Option(title, name)));
  chooser.addEventListener("change", () => act(`edition ${chooser.value}`));

  return {
    table({ edition: now }) {
      if (now) chooser.value = now;
    },
  };
}
