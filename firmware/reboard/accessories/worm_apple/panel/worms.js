// Twenty worms in twenty holes, which rise and fall while the motor turns.

import { shape } from "/static/art.js";

const ROWS = [
  [146, [104, 172, 248, 316]],
  [200, [74, 142, 210, 278, 346]],
  [252, [70, 140, 210, 280, 350]],
  [304, [96, 172, 248, 324]],
  [352, [160, 260]],
];
const COLOURS = ["yellow", "blue", "green", "violet"];
const HIDDEN = 38;
const RISE = 40;
const CATCH_UP = 0.25; // the part of the motor's movement that the next frame shows
const DANCING = 0.05; // the speed, of 1, from which the whole apple shakes
const LAZY_MS = 900; // the period with reduced motion

export function worms() {
  const holes = document.getElementById("holes");
  const apple = document.getElementById("apple-art");
  const all = [];
  const lazy = matchMedia("(prefers-reduced-motion: reduce)");
  let turned = 0;
  let shown = null;
  let moving = 0;
  let last = 0;

  for (const [y, columns] of ROWS) {
    for (const x of columns) all.push(worm(holes, x, y, all.length));
  }

  function pose() {
    for (const { body, phase } of all) {
      const angle = 2 * Math.PI * (shown + phase);
      const up = 0.5 - 0.5 * Math.cos(angle);
      body.setAttribute("transform", `translate(0 ${HIDDEN - RISE * up}) rotate(${4 * Math.sin(2 * angle)})`);
    }
  }

  function frame(now) {
    moving = 0;
    const behind = turned - shown;
    if (lazy.matches && now - last < LAZY_MS) {
      moving = requestAnimationFrame(frame);
      return;
    }
    last = now;
    shown = Math.abs(behind) < 0.002 || lazy.matches ? turned : shown + behind * CATCH_UP;
    pose();
    if (shown !== turned) moving = requestAnimationFrame(frame);
  }

  return {
    hardware({ motor }) {
      apple.classList.toggle("dancing", motor?.speed > DANCING);
      turned = motor?.turns ?? 0;
      shown ??= turned;
      if (!moving) moving = requestAnimationFrame(frame);
    },
  };
}

function worm(holes, x, y, index) {
  const place = shape("g", { transform: `translate(${x} ${y})` });
  const clip = shape("g", { "clip-path": "url(#worm-mouth)" });
  const body = shape("g", { class: "worm", "data-colour": COLOURS[(index * 7) % 4] });
  body.append(
    shape("path", { class: "worm-skin", d: "M-14 50V-10a14 14 0 0 1 28 0v60z" }),
    shape("path", { class: "worm-ring", d: "M-14 12q14 6 28 0M-14 23q14 6 28 0" }),
    shape("circle", { class: "worm-eye", cx: -5.5, cy: -9, r: 4.4 }),
    shape("circle", { class: "worm-eye", cx: 5.5, cy: -9, r: 4.4 }),
    shape("circle", { class: "worm-pupil", cx: -4.8, cy: -8.5, r: 2.1 }),
    shape("circle", { class: "worm-pupil", cx: 6.2, cy: -8.5, r: 2.1 }),
    shape("path", { class: "worm-smile", d: "M-4-1q4 4 8 0" }),
  );
  clip.append(body);
  place.append(
    shape("ellipse", { class: "hole", rx: 22, ry: 12 }),
    clip,
    shape("path", { class: "hole-rim", d: "M-22 1a22 12 0 0 0 44 0" }),
  );
  holes.append(place);
  // the golden ratio keeps neighbours from moving alike
  return { body, phase: (index * 0.618) % 1 };
}
