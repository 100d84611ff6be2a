// Twenty worms in twenty holes, which rise and fall while the motor turns.
//
// Each worm is drawn once, and moved by an animation that needs no script and no painting. Its time in seconds is the
// number of turns of the motor.

const WIDTH = 420; // of the drawing
const HEIGHT = 480;
const ROWS = [
  [146, [104, 172, 248, 316]],
  [200, [74, 142, 210, 278, 346]],
  [252, [70, 140, 210, 280, 350]],
  [304, [96, 172, 248, 324]],
  [352, [160, 260]],
];
const COLOURS = ["#ffd24d", "#6fb7ff", "#a5dd5e", "#d3a4ff"];
const DARK = "#4a0d14";
const HIDDEN = 38;
const RISE = 40;
const TILT_DEG = 4;
const POSES = 24; // in a turn
const MOUTH = { left: -20, top: -70, width: 40, height: 79.2 }; // around the place of a worm; the lip rounds its lower edge
const WORM = { left: -15, top: -25, width: 30, height: 75 };
const CATCH_UP_S = 0.5;
const FASTEST = 8; // turns per second: a faster motor would only flicker
const DANCING = 0.1; // turns per second from which the whole apple shakes
const EVEN = 0.3; // a smaller change of the speed, as a part of it, is not worth another animation

const HOLE = new Path2D("M-22 0a22 12 0 0 1 44 0a22 12 0 0 1-44 0z");
const LIP = new Path2D("M-22 0a22 12 0 0 0 44 0h-2a20 10.5 0 0 1-40 0z");
const RIM = new Path2D("M-22 1a22 12 0 0 0 44 0");
const SKIN = new Path2D("M-14 50V-10a14 14 0 0 1 28 0v60z");
const RINGS = new Path2D("M-14 12q14 6 28 0M-14 23q14 6 28 0");
const EYES = new Path2D("M-9.9-9a4.4 4.4 0 1 1 8.8 0a4.4 4.4 0 1 1-8.8 0zM1.1-9a4.4 4.4 0 1 1 8.8 0a4.4 4.4 0 1 1-8.8 0z");
const PUPILS = new Path2D("M-6.9-8.5a2.1 2.1 0 1 1 4.2 0a2.1 2.1 0 1 1-4.2 0zM4.1-8.5a2.1 2.1 0 1 1 4.2 0a2.1 2.1 0 1 1-4.2 0z");
const SMILE = new Path2D("M-4-1q4 4 8 0");

/** Returns a function `turn(turnsPerS, turned)`: the worms turn at this speed; `turned` is how often, if that is known. */
export function worms() {
  const apple = document.getElementById("apple-art");
  const box = apple.querySelector(".worms");
  const [holes, lips] = box.children;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const all = ROWS.flatMap(([y, columns]) => columns.map((x) => ({ x, y }))).map(made);
  const dances = all.map(({ worm }, index) => {
    // the golden ratio keeps neighbours from moving alike
    const dance = worm.animate(keyframes(), { duration: 1000, iterations: Infinity, delay: -1000 * ((index * 0.618) % 1) });
    dance.pause();
    return dance;
  });
  let playing = 0;

  function made({ x, y }, index) {
    const mouth = document.createElement("div");
    const worm = document.createElement("canvas");
    put(mouth, { ...MOUTH, left: x + MOUTH.left, top: y + MOUTH.top }, { width: WIDTH, height: HEIGHT });
    put(worm, { ...WORM, left: WORM.left - MOUTH.left, top: WORM.top - MOUTH.top }, MOUTH);
    mouth.append(worm);
    lips.before(mouth);
    return { x, y, worm, colour: COLOURS[(index * 7) % 4] };
  }

  /** Show how often the motor has turned. */
  function pose(turned) {
    for (const dance of dances) dance.currentTime = 1000 * turned;
  }

  function play(turnsPerS) {
    for (const dance of dances) {
      if (turnsPerS) dance.updatePlaybackRate(turnsPerS);
      if (!turnsPerS) dance.pause();
      else if (!playing) dance.play();
    }
    playing = turnsPerS;
  }

  new ResizeObserver(([{ contentRect }]) => {
    const scale = (contentRect.width * devicePixelRatio) / WIDTH;
    const [behind, before] = [holes, lips].map((canvas) => penOf(canvas, { left: 0, top: 0, width: WIDTH, height: HEIGHT }, scale));
    for (const { x, y, worm, colour } of all) {
      for (const pen of [behind, before]) pen.setTransform(scale, 0, 0, scale, x * scale, y * scale);
      fill(behind, HOLE, DARK);
      drawWorm(penOf(worm, WORM, scale), colour);
      fill(before, LIP, DARK);
      stroke(before, RIM, 2, "rgb(255 157 142 / 35%)");
    }
  }).observe(box);

  return (turnsPerS, turned = dances[0].currentTime / 1000) => {
    const isDancing = turnsPerS > DANCING;
    apple.classList.toggle("dancing", isDancing);
    if (!isDancing || still.matches) {
      if (playing) play(0);
      if (!isDancing && turned !== dances[0].currentTime / 1000) pose(turned);
      return;
    }
    const missing = turned - dances[0].currentTime / 1000;
    const speed = Math.max(0, Math.min(FASTEST, turnsPerS + missing / CATCH_UP_S));
    if (Math.abs(speed - playing) > EVEN * playing) play(speed);
  };
}

/** Put an element with this box into its parent, which has that size. */
function put(element, { left, top, width, height }, parent) {
  const percent = { left: left / parent.width, top: top / parent.height, width: width / parent.width, height: height / parent.height };
  for (const [property, part] of Object.entries(percent)) element.style[property] = `${100 * part}%`;
}

/** The positions of a worm during a turn. */
function keyframes() {
  return Array.from({ length: POSES + 1 }, (_, step) => {
    const angle = (2 * Math.PI * step) / POSES;
    const depth = HIDDEN - RISE * (0.5 - 0.5 * Math.cos(angle));
    return { transform: `translateY(${(100 * depth) / WORM.height}%) rotate(${TILT_DEG * Math.sin(2 * angle)}deg)` };
  });
}

/** What draws on a canvas that shows this box of the drawing. */
function penOf(canvas, { left, top, width, height }, scale) {
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const pen = canvas.getContext("2d");
  pen.setTransform(canvas.width / width, 0, 0, canvas.height / height, (-left * canvas.width) / width, (-top * canvas.height) / height);
  return pen;
}

function drawWorm(pen, colour) {
  fill(pen, SKIN, colour);
  stroke(pen, RINGS, 2, "rgb(0 0 0 / 16%)");
  fill(pen, EYES, "#fff");
  fill(pen, PUPILS, "#2a1a12");
  stroke(pen, SMILE, 1.8, "#2a1a12");
}

function fill(pen, path, colour) {
  pen.fillStyle = colour;
  pen.fill(path);
}

function stroke(pen, path, width, colour) {
  pen.lineWidth = width;
  pen.lineCap = "round";
  pen.strokeStyle = colour;
  pen.stroke(path);
}
