// The ranking as a picture, in the colours of the page.

const WIDTH = 1080;
const MARGIN = 60;
const ROW = 130;
const HEAD = 220;
const FONT = "ui-rounded, 'SF Pro Rounded', Nunito, 'Segoe UI', system-ui, sans-serif";

/** Draw `players`, each `{ place, number, name, parts, total }`, and return a PNG file. */
export async function rankingPicture(title, heading, players) {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEAD + players.length * ROW + MARGIN;
  const pen = canvas.getContext("2d");
  const root = getComputedStyle(document.documentElement);
  const colour = (name) => root.getPropertyValue(name).trim();

  function write(words, x, y, size, fill, { weight = 600, align = "left", room = WIDTH - 2 * MARGIN } = {}) {
    pen.font = `${weight} ${size}px ${FONT}`;
    pen.fillStyle = fill;
    pen.textAlign = align;
    pen.fillText(words, x, y, room); // squeezed, if there is not enough room
  }

  function box(x, y, width, height, radius, fill) {
    pen.fillStyle = fill;
    pen.beginPath();
    pen.roundRect(x, y, width, height, radius);
    pen.fill();
  }

  const ink = colour("--ink");
  const soft = colour("--ink-soft");
  pen.fillStyle = colour("--paper");
  pen.fillRect(0, 0, WIDTH, canvas.height);
  write(title, MARGIN, 110, 64, ink, { weight: 800 });
  write(heading, MARGIN, 165, 32, soft);
  players.forEach(({ place, number, name, parts, total }, i) => {
    const y = HEAD + i * ROW;
    const right = WIDTH - MARGIN - 30;
    if (place === 1) box(MARGIN - 20, y - 5, WIDTH - 2 * MARGIN + 40, ROW - 10, 24, "rgb(243 174 56 / 25%)");
    if (place) write(`${place}.`, MARGIN, y + 74, 48, soft, { weight: 800, room: 70 });
    box(MARGIN + 80, y + 15, 80, 80, 18, colour(`--card-${number}`));
    write(number, MARGIN + 120, y + 72, 48, "#fff", { weight: 800, align: "center" });
    write(name, MARGIN + 190, y + 56, 46, ink, { weight: 750, room: 420 });
    write(parts, MARGIN + 190, y + 97, 30, soft, { room: 480 });
    write(total, right, y + 74, 54, ink, { weight: 800, align: "right", room: 270 });
  });
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return new File([blob], "reboard.png", { type: "image/png" });
}
