// Tokens that pop out of the question block, one for each sound.

import { shape } from "/static/art.js";

const POP_MS = 900;
const MOST = 8; // tokens at once: a fast table plays dozens of sounds a second
const MARKS = {
  coin: "M16 9v14M16 9h-2.5",
  power_up: "M16 24V9m-6.5 6.5L16 9l6.5 6.5",
  laugh: "M10 17.5q6 7.5 12 0M12 11.5v1.5M20 11.5v1.5",
  game_over: "M11 11l10 10M21 11l-10 10",
};

/** Return a function that shows the token of a sound in `place`. Some sounds have none. */
export function pops(place) {
  return (sound) => {
    if (!(sound in MARKS) || place.children.length >= MOST) return;
    const svg = shape("svg", { viewBox: "0 0 32 32" });
    svg.append(
      shape("circle", { cx: 16, cy: 16, r: 14.5, fill: "#ffcf66", stroke: "#c77f1c", "stroke-width": 2.5 }),
      shape("path", { d: MARKS[sound], fill: "none", stroke: "#8a4a0c", "stroke-width": 3, "stroke-linecap": "round" }),
    );
    const token = document.createElement("span");
    token.className = "pop";
    token.append(svg);
    place.append(token);
    setTimeout(() => token.remove(), POP_MS);
  };
}
