// A motor on the bench: a wheel that turns, with its power and direction.

import { text, withColon } from "/static/text.js";

export default function motor({ title, pins }) {
  const element = document.createElement("div");
  const wheel = document.createElement("div");
  const output = document.createElement("output");
  element.className = "motor";
  wheel.className = "wheel";
  wheel.role = "img";
  element.append(wheel, output);
  output.hidden = pins.length === 1;
  return {
    element,
    show({ level, turns }) {
      const percent = `${Math.round(Math.abs(level) * 100)} %`;
      const shown = level < 0 ? `↺ ${percent}` : level > 0 ? `↻ ${percent}` : text("off");
      wheel.classList.toggle("on", level !== 0);
      wheel.style.setProperty("--turns", turns);
      wheel.ariaLabel = withColon(title, level < 0 ? text("backward, {percent}", { percent }) : percent);
      if (output.textContent !== shown) output.textContent = shown;
    },
  };
}
