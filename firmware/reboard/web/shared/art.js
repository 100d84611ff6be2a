// Drawings: SVG files that are put into the page, so that they can move.

/** Load a drawing of an accessory's panel, such as "bank/card". Returns a function that returns a new copy of it. */
export async function drawing(name) {
  const answer = await fetch(`/static/panels/${name}.svg`);
  if (!answer.ok) throw new Error(`${name}.svg: ${answer.status}`);
  const svg = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
  return () => document.importNode(svg, true);
}

/** Put a drawing into every element with data-art. */
export async function fillDrawings() {
  const frames = [...document.querySelectorAll("[data-art]")];
  const drawings = await Promise.all(frames.map((frame) => drawing(frame.dataset.art)));
  frames.forEach((frame, i) => frame.prepend(drawings[i]()));
}

/** An SVG element with attributes. */
export function shape(name, attributes = {}) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
