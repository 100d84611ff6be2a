// What can go wrong, one switch each, and the plug.

import { hand } from "./hands.js";

/** What must be wired for a fault to matter, by the words of its name. */
const NEEDS = {
  block: ({ accessories }) => accessories.includes("block"),
  lever: ({ accessories }) => accessories.includes("apple"),
  left: ({ readers }) => readers.includes("left"),
  right: ({ readers }) => readers.includes("right"),
  display: ({ display }) => display !== null,
  disk: ({ accessories }) => accessories.includes("bank"),
  clock: ({ accessories }) => accessories.includes("bank"),
};

function concerns(fault, looks) {
  return fault.split(" ").every((word) => NEEDS[word]?.(looks) ?? true);
}

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
    hardware(looks) {
      const { faults, powered } = looks;
      for (const button of switches) {
        const fault = button.textContent;
        button.setAttribute("aria-pressed", faults.includes(fault));
        button.hidden = !faults.includes(fault) && !concerns(fault, looks);
      }
      power.setAttribute("aria-checked", powered);
      document.body.dataset.power = powered ? "on" : "off";
    },
  };
}
