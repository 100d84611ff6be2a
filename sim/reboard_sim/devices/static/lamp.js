// A lamp on the bench, which glows as brightly as it is lit.

import { text, withColon } from "/static/text.js";

const LIGHTS = { red: "#ff4636", orange: "#ff8a2a", amber: "#ffb52e", yellow: "#ffd84d", green: "#46d65c", blue: "#4d9bff", white: "#f4f8ff" };

export default function lamp({ title, label }) {
  const element = document.createElement("div");
  element.className = "bulb";
  element.role = "img";
  const colour = Object.keys(LIGHTS).find((name) => label.split(/[._[\]]/).includes(name));
  if (colour) element.style.setProperty("--light", LIGHTS[colour]);
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
