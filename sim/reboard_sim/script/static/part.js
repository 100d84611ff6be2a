// The part of the page for a program: whether it runs, and how it ended.

import { text } from "/static/text.js";
import { addWords } from "/static/words.js";

const run = document.getElementById("editor-run");
const again = run ? text("Press “Run” to run it again.") : text("Switch the power off and on to run it again.");

const STATES = {
  running: ({ name }) => text("{name} is running.", { name }),
  ended: ({ name }) => `${text("{name} has ended.", { name })} ${again}`,
  failed: ({ why }) => `${why}. ${again}`,
  off: ({ name }) => (run ? text("Press “Run” to run the program.") : text("{name} has no power.", { name })),
};

addWords({
  kinds: { "program.ended": "good", "program.failed": "bad" },
  sentences: {
    printed: ({ text: printed }) => text("printed: {printed}", { printed }),
    "program.ended": () => text("the program has ended"),
    "program.failed": ({ why }) => why,
  },
});

export default function part() {
  const section = document.getElementById("program");
  const says = document.getElementById("program-says");
  let shown = 0; // the number of the table
  let replaced = 0; // the number of the table before the program that starts: until it waits, the page hears nothing of it
  let name = "";

  function show(state, words) {
    if (says.textContent !== words) says.textContent = words;
    section.dataset.state = state;
  }

  run?.addEventListener("click", () => {
    replaced = shown;
    show("starting", STATES.running({ name }));
  });
  document.getElementById("editor-stop")?.addEventListener("click", () => { replaced = 0; });

  return {
    hardware({ scene, program }) {
      const { state, beside } = program;
      ({ name } = program);
      shown = scene;
      if (scene !== replaced && state !== "off") replaced = 0;
      if (replaced) return;
      const words = beside
        ? text("{name} does not wait at {line}, so it runs in real time.", { name, line: beside })
        : STATES[state](program);
      show(state, words);
    },
  };
}
