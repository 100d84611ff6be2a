// A lamp on the bench.

import { text } from "/static/text.js";

export default function lamp({ title }) {
  const element = document.createElement("div");
  element.className = "bulb";
  element.role = "img";
  return {
    element,
    show(isOn) {
      element.classList.toggle("on", isOn);
      element.ariaLabel = `${title}: ${isOn ? text("on") : text("off")}`;
    },
  };
}
