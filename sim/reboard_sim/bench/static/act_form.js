// The field in which the user types a line of a play.

import { spoken } from "/static/text.js";

import { lineQueue } from "./line_queue.js";

export function actForm(acts) {
  const form = document.getElementById("act");
  const line = document.getElementById("act-line");
  const rejection = document.getElementById("refusal");
  const list = document.getElementById("acts");
  const send = lineQueue();
  const usual = line.placeholder;

  list.append(...acts.map(({ usage, meaning }) => new Option(meaning, usage)));
  // shown until the next input, like a notice on the display
  for (const input of ["pointerdown", "keydown"]) document.addEventListener(input, () => { rejection.hidden = true; }, true);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (line.value.trim()) send(line.value);
    line.select();
  });

  return {
    /** Show the usage of a line as an example, or the usual line. */
    showExample(usage = usual) {
      const example = usage.replace(/ \[.*?\]/g, "");
      if (line.placeholder !== example) line.placeholder = example;
    },
    /** Show why something failed. What the bench answers is English, as plays are. */
    showRejection(sentence, lang = spoken()) {
      rejection.textContent = sentence;
      rejection.lang = lang;
      rejection.hidden = false;
    },
  };
}
