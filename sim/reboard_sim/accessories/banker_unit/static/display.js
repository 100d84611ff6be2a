// The display, drawn dot by dot. Screen readers say its lines only while nothing else happens, such as an entry.

import { announce } from "/static/announce.js";
import { text } from "/static/text.js";

const MARGIN = 2;

export function display() {
  const canvas = document.getElementById("display");
  const readable = document.getElementById("display-text");
  const frame = canvas.parentElement;
  const pen = canvas.getContext("2d");
  let shown; // null without a display
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
    const { dots } = shown;
    const wide = dots[0].length;
    const high = dots.length;
    const most = Math.min(canvas.width / (wide + 2 * MARGIN), canvas.height / (high + 2 * MARGIN));
    const pitch = most < 1 ? most : Math.floor(most);
    const dot = pitch > 2 ? pitch - Math.max(1, Math.round(pitch / 7)) : pitch;
    const left = Math.round((canvas.width - wide * pitch) / 2);
    const top = Math.round((canvas.height - high * pitch) / 2);
    const style = getComputedStyle(frame);
    const inks = [style.getPropertyValue("--dot-off"), style.getPropertyValue("--dot")];
    for (const ink of [0, 1]) {
      pen.fillStyle = inks[ink];
      dots.forEach((row, y) => [...row].forEach((state, x) => {
        if (state === String(ink)) pen.fillRect(left + x * pitch, top + y * pitch, dot, dot);
      }));
    }
  }

  new ResizeObserver(resize).observe(canvas);

  return {
    hardware({ devices }) {
      const now = devices["bank.display"] ?? null;
      if (JSON.stringify(now) === JSON.stringify(shown)) return;
      shown = now;
      frame.classList.toggle("missing", !now);
      frame.classList.toggle("backlit", Boolean(now?.lit));
      frame.classList.toggle("oled", now?.look === "oled");
      const read = now?.on ? now.lines.join("\n") : "";
      if (readable.textContent !== read) {
        readable.textContent = read;
        if (read.trim()) announce(text("Display: {lines}", { lines: now.lines.map((line) => line.trim().replace(/ +/g, " ")).filter(Boolean).join(", ") }), true);
      }
      paintSoon();
    },
  };
}
