// A row of LED modules on the bench.

import { text } from "/static/text.js";

const SIDE = 8;
const MOST_COLUMNS = 4; // on the board of a program

export default function matrix({ title }) {
  const element = document.createElement("div");
  element.className = "matrix";
  element.role = "img";
  return {
    element,
    size: "broad",
    show({ glyphs, brightness }) {
      while (element.children.length < glyphs.length) element.append(module());
      while (element.children.length > glyphs.length) element.lastChild.remove();
      glyphs.forEach((rows, place) => {
        [...element.children[place].children].forEach((led, index) => {
          const isLit = (rows[Math.floor(index / SIDE)] >> (SIDE - 1 - (index % SIDE))) & 1;
          led.classList.toggle("on", Boolean(isLit));
        });
      });
      element.style.setProperty("--columns", Math.min(glyphs.length, MOST_COLUMNS));
      element.style.setProperty("--brightness", 0.6 + brightness / 37.5);
      const lit = glyphs.filter((rows) => rows.some(Boolean)).length;
      element.ariaLabel = text("{title}: {lit} of {count} modules lit", { title, lit, count: glyphs.length });
    },
  };
}

function module() {
  const made = document.createElement("div");
  made.className = "leds";
  for (let led = 0; led < SIDE * SIDE; led++) made.append(document.createElement("i"));
  return made;
}
