// Our drawings, each a file of its own, put into the page so that they can move.

/** Load a drawing; every call gives a new copy of it. */
export async function drawing(name) {
  const answer = await fetch(`/static/art/${name}.svg`);
  const svg = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
  return () => document.importNode(svg, true);
}

/** Fill every element that asks for a drawing by data-art. */
export async function hangDrawings() {
  const frames = [...document.querySelectorAll("[data-art]")];
  await Promise.all(frames.map(async (frame) => frame.prepend((await drawing(frame.dataset.art))())));
}

/** An SVG element with attributes. */
export function shape(name, attributes = {}) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
