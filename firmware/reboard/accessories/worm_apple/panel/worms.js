// Twenty worms in twenty holes, which rise and fall while the motor turns.
// They are on a canvas: moving shapes of an SVG would be painted with the whole apple, at every frame.

const WIDTH = 420; // of the drawing
const ROWS = [
  [146, [104, 172, 248, 316]],
  [200, [74, 142, 210, 278, 346]],
  [252, [70, 140, 210, 280, 350]],
  [304, [96, 172, 248, 324]],
  [352, [160, 260]],
];
const COLOURS = ["#ffd24d", "#6fb7ff", "#a5dd5e", "#d3a4ff"];
const HIDDEN = 38;
const RISE = 40;
const TILT = (4 * Math.PI) / 180;
const CATCH_UP = 0.25; // the part of the motor's movement that the next frame shows
const DANCING = 0.05; // the speed, of 1, from which the whole apple shakes
const LAZY_MS = 900; // the period with reduced motion

const MOUTH = new Path2D("M-20-70h40V0a20 10.5 0 0 1-40 0z");
const HOLE = new Path2D("M-22 0a22 12 0 0 1 44 0a22 12 0 0 1-44 0z");
const RIM = new Path2D("M-22 1a22 12 0 0 0 44 0");
const SKIN = new Path2D("M-14 50V-10a14 14 0 0 1 28 0v60z");
const RINGS = new Path2D("M-14 12q14 6 28 0M-14 23q14 6 28 0");
const EYES = new Path2D("M-9.9-9a4.4 4.4 0 1 1 8.8 0a4.4 4.4 0 1 1-8.8 0zM1.1-9a4.4 4.4 0 1 1 8.8 0a4.4 4.4 0 1 1-8.8 0z");
const PUPILS = new Path2D("M-6.9-8.5a2.1 2.1 0 1 1 4.2 0a2.1 2.1 0 1 1-4.2 0zM4.1-8.5a2.1 2.1 0 1 1 4.2 0a2.1 2.1 0 1 1-4.2 0z");
const SMILE = new Path2D("M-4-1q4 4 8 0");

export function worms() {
  const apple = document.getElementById("apple-art");
  const canvas = apple.querySelector("canvas");
  const pen = canvas.getContext("2d");
  const lazy = matchMedia("(prefers-reduced-motion: reduce)");
  const all = ROWS.flatMap(([y, columns]) => columns.map((x) => ({ x, y })));
  let turned = 0;
  let shown = null;
  let moving = 0;
  let last = 0;
  let scale = 0;

  function pose() {
    if (!scale || shown === null) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    all.forEach(({ x, y }, index) => {
      // the golden ratio keeps neighbours from moving alike
      const angle = 2 * Math.PI * (shown + ((index * 0.618) % 1));
      pen.setTransform(scale, 0, 0, scale, x * scale, y * scale);
      fill(pen, HOLE, "#4a0d14");
      pen.save();
      pen.clip(MOUTH);
      pen.translate(0, HIDDEN - RISE * (0.5 - 0.5 * Math.cos(angle)));
      pen.rotate(TILT * Math.sin(2 * angle));
      drawWorm(pen, COLOURS[(index * 7) % 4]);
      pen.restore();
      stroke(pen, RIM, 2, "rgb(255 157 142 / 35%)");
    });
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

  new ResizeObserver(([{ contentRect }]) => {
    canvas.width = contentRect.width * devicePixelRatio;
    canvas.height = contentRect.height * devicePixelRatio;
    scale = canvas.width / WIDTH;
    pose();
  }).observe(canvas);

  return {
    hardware({ motor }) {
      apple.classList.toggle("dancing", motor?.speed > DANCING);
      turned = motor?.turns ?? 0;
      shown ??= turned;
      if (!moving) moving = requestAnimationFrame(frame);
    },
  };
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
