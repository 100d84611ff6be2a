// A switch for each fault, and the power switch.

import { hand } from "./hands.js";

/** Whether the table has what the fault is about. */
function concerns({ accessory, device }, looks) {
  return (!accessory || looks.accessories.includes(accessory)) && (!device || device in looks.devices);
}

export function faults(all) {
  const shelf = document.getElementById("faults");
  const power = document.getElementById("power");
  const act = hand();

  const switches = all.map((fault) => {
    const { name, meaning } = fault;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "pill fault";
    button.textContent = name;
    button.title = meaning;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => act(`${button.getAttribute("aria-pressed") === "true" ? "mend" : "fault"} ${name}`));
    shelf.append(button);
    return { fault, button };
  });
  power.addEventListener("click", () => act(`power ${power.getAttribute("aria-checked") === "true" ? "off" : "on"}`));

  return {
    hardware(looks) {
      for (const { fault, button } of switches) {
        const isOn = looks.faults.includes(fault.name);
        button.setAttribute("aria-pressed", isOn);
        button.hidden = !isOn && !concerns(fault, looks);
      }
      power.setAttribute("aria-checked", looks.powered);
      document.body.dataset.power = looks.powered ? "on" : "off";
    },
  };
}
