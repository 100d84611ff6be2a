// A lamp on the bench, which glows as brightly as it is lit.

import { text, withColon } from "/static/text.js";

export default function lamp({ title }) {
  const element = document.createElement("div");
  element.className = "bulb";
  element.role = "img";
  return {
    element,
    show(level) {
      const isDimmed = typeof level === "number";
      element.classList.toggle("on", Boolean(level));
      element.style.setProperty("--level", Number(level));
      element.ariaLabel = withColon(title, isDimmed ? `${Math.round(level * 100)} %` : level ? text("on") : text("off"));
    },
  };
}
