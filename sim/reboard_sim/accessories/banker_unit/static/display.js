// The display, drawn dot by dot.

const CELLS = 16;
const DOTS = { wide: 5, high: 8 };
const MARGIN = 2;
const WIDE = CELLS * (DOTS.wide + 1) - 1 + 2 * MARGIN;
const HIGH = 2 * DOTS.high + 2 + 2 * MARGIN;

export function display() {
  const canvas = document.getElementById("display");
  const text = document.getElementById("display-text");
  const frame = canvas.parentElement;
  const pen = canvas.getContext("2d");
  let shown = null;
  let painting = 0;

  function resize() {
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(canvas.clientHeight * scale);
    paint();
  }

  function paintSoon() {
    painting ||= requestAnimationFrame(paint);
  }

  function paint() {
    cancelAnimationFrame(painting);
    painting = 0;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    if (!shown) return;
    // whole pixels, so that every dot is as sharp and as large as the next
    const pitch = Math.max(1, Math.floor(Math.min(canvas.width / WIDE, canvas.height / HIGH)));
    const dot = pitch > 2 ? pitch - Math.max(1, Math.round(pitch / 7)) : pitch;
    const left = Math.round((canvas.width - (WIDE - 2 * MARGIN) * pitch) / 2);
    const top = Math.round((canvas.height - (HIGH - 2 * MARGIN) * pitch) / 2);
    const style = getComputedStyle(frame);
    const inks = [style.getPropertyValue("--dot-off"), style.getPropertyValue("--dot")];
    for (const ink of [0, 1]) {
      pen.fillStyle = inks[ink];
      shown.dots.forEach((line, row) => line.forEach((cell, column) => cell.forEach((bits, y) => {
        for (let x = 0; x < DOTS.wide; x += 1) {
          if (((bits >> (DOTS.wide - 1 - x)) & 1) !== ink) continue;
          const across = column * (DOTS.wide + 1) + x;
          const down = row * (DOTS.high + 2) + y;
          pen.fillRect(left + across * pitch, top + down * pitch, dot, dot);
        }
      })));
    }
  }

  new ResizeObserver(resize).observe(canvas);

  return {
    hardware({ devices }) {
      const now = devices["bank.display"] ?? null;
      if (JSON.stringify(now) === JSON.stringify(shown)) return;
      shown = now;
      frame.classList.toggle("missing", !now);
      frame.classList.toggle("backlit", Boolean(now?.backlight));
      const read = now?.on ? now.lines.join("\n") : "";
      if (text.textContent !== read) text.textContent = read;
      paintSoon();
    },
  };
}
