// A switch for each fault, and the power switch.

import { lineQueue } from "./line_queue.js";

/** Return whether the table has the device of the fault. */
function concerns({ accessory, device }, state) {
  return (!accessory || state.accessories.includes(accessory)) && (!device || device in state.devices);
}

export function faults(all) {
  const shelf = document.getElementById("faults");
  const power = document.getElementById("power");
  const act = lineQueue();

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
    hardware(state) {
      for (const { fault, button } of switches) {
        const isOn = state.faults.includes(fault.name);
        button.setAttribute("aria-pressed", isOn);
        button.hidden = !isOn && !concerns(fault, state);
      }
      power.setAttribute("aria-checked", state.powered);
      document.body.dataset.power = state.powered ? "on" : "off";
    },
  };
}
