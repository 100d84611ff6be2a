// A switch for each fault, grouped by device, and the power switch.

import { text } from "/static/text.js";

import { lineQueue } from "./line_queue.js";

/** Return whether the table has the device of the fault. */
function concerns({ accessory, device }, state) {
  return (!accessory || state.accessories.includes(accessory)) && (!device || device in state.devices);
}

export function faults(all) {
  const shelf = document.getElementById("faults");
  const active = document.getElementById("faults-active");
  const power = document.getElementById("power");
  const act = lineQueue();
  let switches = [];
  let rows = [];
  let opened = "[]";
  let shown = "";

  function faultSwitch(fault) {
    const place = document.createElement("div");
    place.className = "fault-place";
    const meaning = document.createElement("small");
    meaning.textContent = fault.meaning;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "pill fault";
    button.textContent = fault.name;
    button.lang = "en"; // a word of plays
    button.title = fault.meaning;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => act(`${button.getAttribute("aria-pressed") === "true" ? "mend" : "fault"} ${fault.name}`));
    place.append(button, meaning);
    return { fault, place, button };
  }

  function build(known) {
    switches = known.map(faultSwitch);
    rows = [...new Set(known.map(({ part }) => part))].map((part) => {
      const row = document.createElement("div");
      const title = document.createElement("h3");
      title.textContent = part;
      const those = document.createElement("div");
      those.append(...switches.filter(({ fault }) => fault.part === part).map(({ place }) => place));
      row.append(title, those);
      return row;
    });
    shelf.replaceChildren(...rows);
  }

  build(all);
  power.addEventListener("click", () => act(`power ${power.getAttribute("aria-checked") === "true" ? "off" : "on"}`));

  return {
    hardware(state) {
      const ofProgram = state.opened.flatMap(({ faults: those }) => those);
      const names = JSON.stringify(ofProgram);
      if (names !== opened) {
        opened = names;
        shown = "";
        build([...ofProgram, ...all]);
      }
      const which = JSON.stringify([state.powered, state.faults, state.accessories, Object.keys(state.devices)]);
      if (which === shown) return;
      shown = which;
      for (const { fault, place, button } of switches) {
        const isOn = state.faults.includes(fault.name);
        button.setAttribute("aria-pressed", isOn);
        place.hidden = !isOn && !concerns(fault, state);
      }
      for (const row of rows) row.hidden = !row.querySelector(".fault-place:not([hidden])");
      const words = state.faults.length ? text("{count} active: {names}", { count: state.faults.length, names: state.faults.join(", ") }) : text("none active");
      if (active.textContent !== words) active.textContent = words;
      active.classList.toggle("bad", state.faults.length > 0);
      power.setAttribute("aria-checked", state.powered);
      document.body.dataset.power = state.powered ? "on" : "off";
    },
  };
}
