// A typed line of a play.

import { hand } from "./hands.js";

export function act(acts) {
  const form = document.getElementById("act");
  const line = document.getElementById("act-line");
  const refusal = document.getElementById("refusal");
  const list = document.getElementById("acts");
  const does = hand();

  list.append(...acts.map(({ usage, meaning }) => new Option(meaning, usage)));
  // until the next touch, like a notice on the display
  for (const touch of ["pointerdown", "keydown"]) document.addEventListener(touch, () => { refusal.hidden = true; }, true);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (line.value.trim()) does(line.value);
    line.select();
  });

  return {
    refused(sentence) {
      refusal.textContent = sentence;
      refusal.hidden = false;
    },
  };
}
