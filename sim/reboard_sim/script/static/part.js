// The part of the page for a program: whether it runs, and how it ended.

import { text } from "/static/text.js";
import { addWords } from "/static/words.js";

const again = document.getElementById("editor")
  ? text("Press “Run” to run it again.")
  : text("Switch the power off and on to run it again.");

const STATES = {
  running: ({ name }) => text("{name} is running.", { name }),
  ended: ({ name }) => `${text("{name} has ended.", { name })} ${again}`,
  failed: ({ why }) => `${why}. ${again}`,
  off: ({ name }) => text("{name} has no power.", { name }),
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

  return {
    hardware({ program }) {
      const { name, state, beside } = program;
      const words = beside
        ? text("{name} does not wait at {line}, so it runs in real time.", { name, line: beside })
        : STATES[state](program);
      if (says.textContent !== words) says.textContent = words;
      section.classList.toggle("failed", state === "failed");
    },
  };
}
