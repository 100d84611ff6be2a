// A push button or lever on the bench.

import { held } from "/static/generic_panel.js";
import { holdable } from "/static/press.js";

export default function contact(device, act) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "push";
  element.ariaLabel = device.title;
  holdable(element, held(device, act));
  return { element, show: (isHeld) => element.classList.toggle("on", isHeld) };
}
