// The devices that a program has opened, in the order in which it opened them. They stay when the program ends.

import { framed, widget } from "./generic_panel.js";
import { timedLineQueue } from "./timed_line_queue.js";

export function openedDevices() {
  const board = document.getElementById("opened");
  const table = document.getElementById("table");
  const act = timedLineQueue();
  const shows = new Map(); // by the description of the device
  let states = {};

  async function add(device, key) {
    const place = document.createElement("div"); // until its control is loaded
    shows.set(key, () => {});
    board.append(place);
    const control = await widget(device, act);
    if (!place.isConnected) return;
    place.replaceWith(placed(control, device));
    shows.set(key, () => control.show(states[device.label]));
    shows.get(key)();
  }

  return {
    hardware({ devices, opened }) {
      states = devices;
      const keys = opened.map((device) => JSON.stringify(device));
      if ([...shows.keys()].some((key) => !keys.includes(key))) { // another program
        shows.clear();
        board.replaceChildren();
      }
      opened.forEach((device, place) => { if (!shows.has(keys[place])) void add(device, keys[place]); });
      for (const show of shows.values()) show();
      board.hidden = !opened.length;
      table.classList.toggle("has-devices", !board.hidden);
    },
  };
}

/** A control with the name and the pins of its device. A control can have the size "broad" (two places) or "wide" (a row). */
function placed({ element, size }, device) {
  const frame = framed(element, device);
  if (device.pins.length) {
    const pins = document.createElement("small");
    pins.textContent = `GPIO${device.pins.join(", ")}`;
    frame.append(pins);
  }
  if (size) frame.classList.add(size);
  return frame;
}
