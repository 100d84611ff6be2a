// Drawings: SVG files that are put into the page, so that they can move.

import { fileText } from "./page_data.js";

/** Return a function that returns a new copy of a drawing of an accessory's panel, such as "bank/card". */
export function drawing(name) {
  const svg = new DOMParser().parseFromString(fileText(`/static/panels/${name}.svg`), "image/svg+xml").documentElement;
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
