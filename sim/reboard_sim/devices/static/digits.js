// A seven-segment display on the bench.

import { shape } from "/static/art.js";
import { withColon } from "/static/text.js";

/** Each segment as the points of a line, in a digit of 10 by 18. */
const SEGMENTS = {
  a: "2.5 1.5 7.5 1.5", b: "8.5 2.5 8.5 8", c: "8.5 10 8.5 15.5", d: "2.5 16.5 7.5 16.5", e: "1.5 10 1.5 15.5",
  f: "1.5 2.5 1.5 8", g: "2.5 9 7.5 9",
};

export default function digits({ title }) {
  const element = document.createElement("div");
  element.className = "digits";
  element.role = "img";

  function digit() {
    const svg = shape("svg", { viewBox: "0 0 13 18" });
    for (const [name, points] of Object.entries(SEGMENTS)) svg.append(shape("polyline", { points, "data-segment": name }));
    svg.append(shape("circle", { cx: 11.3, cy: 16.5, r: 1.1, "data-segment": "." }));
    return svg;
  }

  return {
    element,
    show({ digits: lit, text }) {
      while (element.children.length < lit.length) element.append(digit());
      lit.forEach((segments, place) => {
        for (const segment of element.children[place].children) {
          segment.classList.toggle("on", segments.includes(segment.dataset.segment));
        }
      });
      element.ariaLabel = withColon(title, text || "–");
    },
  };
}
