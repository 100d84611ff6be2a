// A console on the bench, of the program or at a serial port: what is printed, and a field for a line that is read.

import { text } from "/static/text.js";

export default function console_({ label, title, kind }, act) {
  const element = document.createElement("div");
  const output = document.createElement("pre");
  const form = document.createElement("form");
  const field = document.createElement("input");
  const button = document.createElement("button");
  element.className = "console";
  output.role = "log";
  output.ariaLabel = kind === "console" ? text("What the program prints") : title;
  output.tabIndex = 0;
  field.className = "field";
  field.ariaLabel = text("Answer to the program");
  field.autocomplete = "off";
  button.className = "button";
  button.textContent = text("Enter");
  form.append(field, button);
  element.append(output, form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(`enter ${label} ${quoted(field.value)}`);
    field.value = "";
  });

  return {
    element,
    size: kind === "console" ? "wide" : "broad",
    show({ text: printed, asks }) {
      if (output.textContent !== printed) {
        const isAtEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 8;
        output.textContent = printed;
        if (isAtEnd) output.scrollTop = output.scrollHeight;
      }
      form.hidden = !asks;
    },
  };
}

/** A text as a word in a line of a play. */
function quoted(line) {
  return `'${line.replaceAll("'", `'"'"'`)}'`;
}
