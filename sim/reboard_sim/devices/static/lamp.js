// A lamp on the bench.

import { text, withColon } from "/static/text.js";

export default function lamp({ title }) {
  const element = document.createElement("div");
  element.className = "bulb";
  element.role = "img";
  return {
    element,
    show(isOn) {
      element.classList.toggle("on", isOn);
      element.ariaLabel = withColon(title, isOn ? text("on") : text("off"));
    },
  };
}
