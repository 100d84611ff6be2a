// A switch, lever or sensor on the bench that stays as the user leaves it. One click changes it.

import { textOf } from "/static/text.js";

export default function latchingSwitch({ label, title }, act) {
  const element = document.createElement("button");
  const knob = document.createElement("span");
  const state = document.createElement("span");
  let on = false;
  element.type = "button";
  element.className = "switch";
  element.role = "switch";
  element.ariaLabel = title;
  element.append(knob, state);
  element.addEventListener("click", () => act(`set ${label} ${on ? "off" : "on"}`));
  return {
    element,
    show(isOn) {
      on = isOn;
      element.ariaChecked = String(on);
      const shown = on ? textOf("switch", "on") : textOf("switch", "off");
      if (state.textContent !== shown) state.textContent = shown;
    },
  };
}
