// What can go wrong, one switch each, and the plug.

import { hand } from "./hands.js";

export function trouble(names) {
  const shelf = document.getElementById("faults");
  const power = document.getElementById("power");
  const act = hand();

  const switches = names.map(({ name, meaning }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "pill fault";
    button.textContent = name;
    button.title = meaning;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => act(`${button.getAttribute("aria-pressed") === "true" ? "mend" : "fault"} ${name}`));
    shelf.append(button);
    return button;
  });
  power.addEventListener("click", () => act(`power ${power.getAttribute("aria-checked") === "true" ? "off" : "on"}`));

  return {
    hardware({ faults, powered }) {
      for (const button of switches) button.setAttribute("aria-pressed", faults.includes(button.textContent));
      power.setAttribute("aria-checked", powered);
      document.body.dataset.power = powered ? "on" : "off";
    },
  };
}
