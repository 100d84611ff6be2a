// The panel of an accessory that brings none of its own: its picture, and a control for each device that is not part of
// the picture.
//
// In a picture, the element whose id is the last part of a device's label is that device. It gets the class "part", the
// class "on" while the device is on or held, and a CSS property such as --turns for each number in its state. A <text>
// shows the text of the device. A part that can be held takes presses.
//
// /static/devices/<kind>/<kind>.js has the control of a device kind: a function (device, act) that returns its `element`
// and show(state). act(line) carries out a line of a play.

import { showPart, shownState } from "/static/art.js";
import { sentence } from "/static/words.js";

import { caption } from "./caption.js";
import { holdable } from "./press.js";
import { timedLineQueue } from "./timed_line_queue.js";

export async function genericPanel(name, devices) {
  const stage = document.querySelector(`#${name} .stage`);
  const act = timedLineQueue();
  const shows = new Map();
  for (const device of devices) {
    const part = stage.querySelector(`svg [id="${device.noun}"]`);
    const control = part ? partOf(part, device, act) : await widget(device, act);
    shows.set(device.label, control.show);
    if (!part) stage.querySelector(".widgets").append(framed(control.element, device));
  }
  let now = null;
  let last = "";
  const say = caption(`${name}-says`, () => (now && !now.powered ? "Switched off" : last || "Ready"));

  return {
    hardware(state) {
      now = state;
      for (const { label } of devices) {
        const isThere = label in state.devices;
        if (isThere) shows.get(label)(state.devices[label]);
        const frame = stage.querySelector(`[data-device="${label}"]`);
        if (frame.hidden === isThere) frame.hidden = !isThere;
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

/** A device in the picture. */
function partOf(part, device, act) {
  part.removeAttribute("id"); // the page may have an element with this id
  part.classList.add("part", device.kind);
  part.dataset.device = device.label;
  if (device.forms.some((form) => form.startsWith("hold "))) {
    part.setAttribute("role", "button");
    part.setAttribute("tabindex", "0");
    part.setAttribute("aria-label", device.title);
    holdable(part, held(device, act));
  }
  return { show: (state) => showPart(part, state) };
}

/** What `holdable` needs to hold a device. */
export function held({ label }, act) {
  return { press: () => act(`hold ${label}`), release: () => act(`release ${label}`), tap: () => act(`press ${label}`) };
}

async function widget(device, act) {
  try {
    if (device.has_widget) {
      const { default: make } = await import(`/static/devices/${device.kind}/${device.kind}.js`);
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
  const text = document.createElement("output");
  element.className = "plain";
  element.append(text, ...forms.map((usage) => {
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
      if (text.textContent !== shown) text.textContent = shown;
    },
  };
}

function framed(element, { label, title }) {
  const frame = document.createElement("div");
  const name = document.createElement("span");
  frame.className = "widget";
  frame.dataset.device = label;
  name.textContent = title;
  frame.append(element, name);
  return frame;
}
