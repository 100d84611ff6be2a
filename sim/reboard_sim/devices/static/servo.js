// A servo on the bench: its arm, and the angle.

import { text } from "/static/text.js";

const TICKS = [-90, -45, 0, 45, 90];

export default function servo({ title }) {
  const element = document.createElement("div");
  const dial = document.createElement("div");
  const arm = document.createElement("i");
  const output = document.createElement("output");
  element.className = "servo";
  dial.className = "dial";
  dial.role = "img";
  dial.append(...TICKS.map((degrees) => {
    const tick = document.createElement("b");
    tick.style.setProperty("--degrees", degrees);
    return tick;
  }), arm);
  element.append(dial, output);
  return {
    element,
    show({ on, degrees }) {
      const shown = `${Math.round(degrees)}°`;
      element.classList.toggle("on", on);
      arm.style.setProperty("--degrees", degrees);
      if (output.textContent !== shown) output.textContent = shown;
      dial.ariaLabel = text("{title}: {degrees} degrees", { title, degrees: Math.round(degrees) });
    },
  };
}
