// The part of the page for a program: whether it runs, and how it ended; what it prints, and what it reads.

import { lineQueue } from "/static/line_queue.js";
import { text } from "/static/text.js";
import { addWords } from "/static/words.js";

const STATES = {
  running: ({ name }) => text("{name} is running.", { name }),
  ended: ({ name }) => text("{name} has ended. Switch the power off and on to run it again.", { name }),
  failed: ({ why }) => text("{why}. Switch the power off and on to run it again.", { why }),
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
  const showPrinted = printedLines();
  const showAnswer = answerForm();

  return {
    hardware({ program }) {
      const { name, state, beside } = program;
      const words = beside
        ? text("{name} does not wait at {line}, so it runs in real time.", { name, line: beside })
        : STATES[state](program);
      if (says.textContent !== words) says.textContent = words;
      section.classList.toggle("failed", state === "failed");
      showPrinted(program.printed);
      showAnswer(program.asks);
    },
  };
}

function printedLines() {
  const output = document.getElementById("printed");
  let shown = "[]";
  return (lines) => {
    const now = JSON.stringify(lines);
    if (now === shown) return;
    shown = now;
    const isAtEnd = output.scrollTop + output.clientHeight > output.scrollHeight - 20;
    output.replaceChildren(...lines.map(([line, isError]) => {
      const span = document.createElement("span");
      span.className = isError ? "wrong" : "";
      span.textContent = `${line}\n`;
      return span;
    }));
    if (isAtEnd) output.scrollTop = output.scrollHeight;
  };
}

function answerForm() {
  const form = document.getElementById("answer");
  const field = document.getElementById("answer-line");
  const act = lineQueue();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(`answer ${quoted(field.value)}`);
    field.value = "";
  });
  return (asks) => {
    if (form.hidden !== asks) return;
    form.hidden = !asks;
    if (asks && document.activeElement === document.body) field.focus();
  };
}

/** A text as one word in a line of a play. */
function quoted(line) {
  return `'${line.replaceAll("'", `'"'"'`)}'`;
}
