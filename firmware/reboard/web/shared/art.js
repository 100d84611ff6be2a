// Drawings: SVG files that are put into the page, so that they can move.

import { fileText } from "./page_data.js";

/** Return a function that returns a new copy of a drawing of an accessory's panel, such as "bank/card". Throws an `Error`. */
export function drawing(name) {
  const path = `/static/panels/${name}.svg`;
  const svg = new DOMParser().parseFromString(fileText(path), "image/svg+xml").documentElement;
  const problem = svg.querySelector("parsererror div")?.textContent.trim();
  if (problem || !(svg instanceof SVGSVGElement)) {
    throw new Error(`${path} is no drawing: ${problem ?? 'it must begin with <svg xmlns="http://www.w3.org/2000/svg">'}`);
  }
  return () => document.importNode(svg, true);
}

/** Put a drawing into every element with data-art in an element. */
export function fillDrawings(within) {
  for (const frame of within.querySelectorAll("[data-art]")) {
    try {
      frame.prepend(drawing(frame.dataset.art)());
    } catch (error) {
      console.error(error); // the others are shown all the same
    }
  }
}

/** An SVG element with attributes. */
export function shape(name, attributes = {}) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

const SHOWN = ["on", "level", "hz", "colour", "colours", "glyphs", "degrees"];

/** Set the classes, CSS properties and text of a part of a picture by the state of its device, or its latest event. */
export function showPart(part, state) {
  const values = state !== null && typeof state === "object" ? state : { on: state };
  part.classList.toggle("on", isLit(values[SHOWN.find((key) => key in values)]));
  for (const [key, value] of Object.entries(values)) {
    if (["number", "string"].includes(typeof value)) part.style.setProperty(`--${key}`, value);
  }
  if (part.tagName === "text") part.textContent = shownState(state);
}

/** The state of a device as text. */
export function shownState(state) {
  if (state === null || state === undefined) return "";
  if (typeof state === "boolean") return state ? "on" : "off";
  if (typeof state !== "object") return String(state);
  if (state.lines) return state.lines.join("\n");
  return Object.entries(state)
    .filter(([key, value]) => typeof value !== "object" && key !== "turns") // turns are for the picture
    .map(([key, value]) => (key === "on" ? shownState(value) : `${key} ${value}`))
    .join(", ");
}

function isLit(value) {
  return Array.isArray(value) ? value.some(isLit) : Boolean(value) && value !== "#000000";
}
