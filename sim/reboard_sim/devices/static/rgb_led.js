// An RGB LED on the bench.

import { text, withColon } from "/static/text.js";

export default function rgbLed({ title }) {
  const element = document.createElement("div");
  element.className = "bulb";
  element.role = "img";
  return {
    element,
    show({ on, colour }) {
      element.style.background = on ? colour : "";
      element.style.boxShadow = on ? `0 0 1.3rem .3rem ${colour}` : "";
      element.ariaLabel = withColon(title, on ? colour : text("off"));
    },
  };
}
