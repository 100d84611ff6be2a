// The panel of an accessory that brings none of its own: its picture, and a control for each device that is not part of
// the picture, or that the picture cannot operate.
//
// In a picture, the element whose id is the last part of a device's label is that device. It gets the class "part", the
// class "on" while the device is on or held, and a CSS property such as --turns for each number in its state. A <text>
// shows the text of the device. A part that can be held takes presses.
//
// /static/devices/<kind>/ has the control of a device kind: a function (device, act) that returns its `element`
// and show(state). act(line) carries out a line of a play.

import { showPart, shownState } from "/static/art.js";
import { text } from "/static/text.js";
import { sentence } from "/static/words.js";

import { caption } from "./caption.js";
import { holdable } from "./press.js";
import { timedLineQueue } from "./timed_line_queue.js";

export async function genericPanel(name, devices) {
  const stage = document.querySelector(`#${name} .stage`);
  const act = timedLineQueue();
  const picture = stage.querySelector(".picture svg");
  const shows = new Map();
  const undrawn = [];
  for (const device of devices) {
    const part = picture?.querySelector(`[id="${device.noun}"]`);
    const controls = [];
    if (part) controls.push(partOf(part, device, act));
    else undrawn.push(device.noun);
    if (!part || (device.forms.length && !isHeld(device))) {
      controls.push(await widget(device, act));
      stage.querySelector(".widgets").append(framed(controls.at(-1).element, device));
    }
    shows.set(device.label, (state) => controls.forEach((control) => control.show(state)));
  }
  if (picture && undrawn.length) {
    const ids = [...picture.querySelectorAll("[id]")].map(({ id }) => id);
    console.info(`picture.svg of ${name} has no id ${undrawn.join(", ")}. Its other ids: ${ids.join(", ")}`);
  }
  let now = null;
  let last = "";
  const next = () => gestures(devices, now) || text("Ready");
  const say = caption(`${name}-says`, () => now && (now.powered ? last || next() : text("Switched off")));

  return {
    hardware(state) {
      now = state;
      for (const { label } of devices) {
        const isThere = label in state.devices;
        if (isThere) shows.get(label)(state.devices[label]);
        for (const shown of stage.querySelectorAll(`[data-device="${label}"]`)) shown.toggleAttribute("hidden", !isThere);
      }
      say();
    },
    event(event) {
      if (event.event.split(".")[0] !== name) return;
      last = sentence(event);
      say();
    },
  };
}

/** What a user can do with those *devices* that the table has, in words. */
export function gestures(devices, state) {
  return devices.filter(({ label, gesture }) => gesture && label in state.devices).map(({ gesture }) => gesture).join(" · ");
}

/** A device in the picture. */
function partOf(part, device, act) {
  part.removeAttribute("id"); // the page may have an element with this id
  part.classList.add("part", device.kind);
  part.dataset.device = device.label;
  if (isHeld(device)) {
    part.setAttribute("role", "button");
    part.setAttribute("tabindex", "0");
    part.setAttribute("aria-label", device.title);
    holdable(part, held(device, act));
  }
  return { show: (state) => showPart(part, state) };
}

/** Whether the user holds the whole device, and not a key of it. */
function isHeld({ forms, label }) {
  return forms.includes(`hold ${label}`);
}

/** What `holdable` needs to hold a device. */
export function held({ label }, act) {
  return { press: () => act(`hold ${label}`), release: () => act(`release ${label}`), tap: () => act(`press ${label}`) };
}

/** The control of a device: an `element`, and a function show(state). */
export async function widget(device, act) {
  try {
    if (device.widget) {
      const { default: make } = await import(device.widget);
      return make(device, act);
    }
  } catch (error) {
    console.error(error);
  }
  return plainWidget(device, act);
}

/** The control of a device whose kind brings none: its state as text, and a button for each line of a play. */
function plainWidget({ forms, label }, act) {
  const element = document.createElement("div");
  const output = document.createElement("output");
  element.className = "plain";
  element.append(output, ...forms.map((usage) => {
    const [verb, , ...values] = usage.split(" ");
    const form = document.createElement("form");
    const button = document.createElement("button");
    button.className = "button";
    button.textContent = verb;
    const fields = values.map((value) => {
      const field = document.createElement("input");
      field.className = "field";
      field.placeholder = field.ariaLabel = value.replace(/[[\]]/g, "").toLowerCase();
      field.required = !value.startsWith("[");
      return field;
    });
    form.append(button, ...fields);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      act([verb, label, ...fields.map(({ value }) => value.trim())].join(" ").trim());
    });
    return form;
  }));
  return {
    element,
    show(state) {
      const shown = shownState(state);
      if (output.textContent !== shown) output.textContent = shown;
    },
  };
}

/** A control with the name of its device. */
export function framed(element, { label, title }) {
  const frame = document.createElement("div");
  const name = document.createElement("span");
  frame.className = "widget";
  frame.dataset.device = label;
  name.textContent = title;
  frame.append(element, name);
  return frame;
}
