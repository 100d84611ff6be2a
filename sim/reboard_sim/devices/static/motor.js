// A motor on the bench: a wheel that turns.

import { withColon } from "/static/text.js";

export default function motor({ title }) {
  const element = document.createElement("div");
  element.className = "wheel";
  element.role = "img";
  return {
    element,
    show({ level, turns }) {
      element.classList.toggle("on", level > 0);
      element.style.setProperty("--turns", turns);
      element.ariaLabel = withColon(title, `${Math.round(level * 100)} %`);
    },
  };
}
