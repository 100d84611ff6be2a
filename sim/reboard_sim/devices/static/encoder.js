// A rotary encoder on the bench: two buttons turn it by a step.

import { text } from "/static/text.js";

export default function encoder({ label, title }, act) {
  const element = document.createElement("div");
  const steps = document.createElement("output");
  element.className = "knob";
  element.role = "group";
  element.ariaLabel = title;
  element.append(button("↺", text("counter-clockwise"), `turn ${label} back 1`), steps, button("↻", text("clockwise"), `turn ${label} 1`));

  function button(sign, name, line) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "button";
    made.textContent = sign;
    made.ariaLabel = name;
    made.addEventListener("click", () => act(line));
    return made;
  }

  return {
    element,
    show(state) {
      const shown = String(state.steps);
      if (steps.textContent !== shown) steps.textContent = shown;
    },
  };
}
