// The sound card's output: the lowest and the highest sample of every 2.5 ms, and which sounds began.

import { clockTime } from "/static/clock.js";
import { text } from "/static/text.js";

import { scope } from "./scope.js";
import { duration } from "./time_axis.js";
import { after } from "./timeline.js";

const BLOCK_S = 0.02;
const KEEP = 30_000; // blocks: ten minutes of sound without a pause
const FULL = 32768;
const LEAST = 0.05; // of full scale: quieter sound is not enlarged further
const HIGH_PX = 260;
const FLAG_PX = 20;
const NO_SOUND = { 1: text("No later sound."), "-1": text("No earlier sound.") };

export function waveform(panel, axis) {
  const summary = panel.querySelector(".said");
  const blocks = { t: [], peaks: [], low: [], high: [] };
  const begun = { t: [], names: [] };
  let noSound = ""; // set by a jump that found no sound

  const view = scope(panel.querySelector(".scope"), axis, {
    draw,
    height: () => HIGH_PX,
    edge(from, way) {
      const place = after(begun.t, from);
      if (way > 0) return begun.t[place] ?? null;
      return begun.t.findLast((t) => t < from) ?? null;
    },
    snap(t, _, within) {
      const nearest = begun.t.reduce((best, one) => (Math.abs(one - t) < Math.abs(best - t) ? one : best), Infinity);
      return Math.abs(nearest - t) < within ? nearest : t;
    },
    onCursor(way) {
      noSound = NO_SOUND[way] ?? "";
      describe();
    },
  });

  function draw(pen, { width, top, high, colour }) {
    const middle = (top + FLAG_PX + high) / 2;
    const half = (high - top - FLAG_PX) / 2 - 6;
    const first = Math.max(0, after(blocks.t, axis.begin - BLOCK_S) - 1);
    const last = after(blocks.t, axis.end);
    let most = LEAST * FULL;
    for (let n = first; n < last; n += 1) most = Math.max(most, -blocks.low[n], blocks.high[n]);

    pen.fillStyle = colour("paper-line");
    pen.fillRect(0, middle - half, width, 1);
    pen.fillRect(0, middle + half, width, 1);
    pen.fillStyle = colour("rule");
    pen.fillRect(0, middle - 0.5, Math.min(width, axis.x(axis.now, width)), 1);
    pen.fillStyle = colour("lane-sound");
    const column = (x, wide, low, high) => {
      pen.fillRect(x, middle - (high / most) * half, Math.max(1, wide), Math.max(1, ((high - low) / most) * half));
    };
    const wide = (BLOCK_S / axis.span) * width;
    for (let n = first; n < last; ) {
      const x = axis.x(blocks.t[n], width);
      if (wide >= 1) {
        const peaks = blocks.peaks[n];
        const step = wide / (peaks.length / 2);
        for (let k = 0; k < peaks.length; k += 2) column(x + (k / 2) * step, step, peaks[k], peaks[k + 1]);
        n += 1;
      } else { // many blocks in a pixel
        let [low, high] = [0, 0];
        for (; n < last && axis.x(blocks.t[n], width) < x + 1; n += 1) {
          low = Math.min(low, blocks.low[n]);
          high = Math.max(high, blocks.high[n]);
        }
        column(x, 1, low, high);
      }
    }

    pen.font = `600 11px ${colour("round")}`;
    pen.textAlign = "left";
    let free = -Infinity;
    for (let n = after(begun.t, axis.begin) - 1; n < begun.t.length; n += 1) {
      if (n < 0) continue;
      const x = Math.round(axis.x(begun.t[n], width));
      if (x > width) break;
      if (x < 0) continue;
      pen.fillStyle = colour("rule");
      pen.fillRect(x, top, 1, high - top);
      if (x < free) continue;
      pen.fillStyle = colour("ink");
      pen.fillText(begun.names[n], x + 5, top + FLAG_PX / 2 + 2);
      free = x + pen.measureText(begun.names[n]).width + 12;
    }
    pen.fillStyle = colour("ink-soft");
    pen.textAlign = "right";
    pen.fillText(text("± {percent} % of full scale", { percent: Math.round((most / FULL) * 100) }), width - 8, high - 10);
  }

  function describe() {
    const words = [noSound, lastBegun()].filter(Boolean).join(" ");
    if (summary.textContent !== words) summary.textContent = words;
  }

  /** Describe the last sound, or the last one before the cursor, in words. */
  function lastBegun() {
    if (!begun.t.length) return text("No sound began in the recorded time.");
    const cursor = axis.active.toUpperCase();
    const at = axis.cursors[axis.active];
    const place = at === null ? begun.t.length - 1 : after(begun.t, at) - 1;
    if (place < 0) return text("No sound began before cursor {cursor}.", { cursor });
    const values = { sound: begun.names[place], time: clockTime(begun.t[place], 6), cursor };
    if (at === null) return text("{sound} began at {time}.", values);
    return text("{sound} began at {time}, {duration} before cursor {cursor}.", { ...values, duration: duration(at - begun.t[place]) });
  }

  return {
    clear() {
      for (const list of [...Object.values(blocks), ...Object.values(begun)]) list.length = 0;
    },
    update({ sound = [], events = [] }, isShown) {
      for (const [t, peaks] of sound) {
        blocks.t.push(t);
        blocks.peaks.push(Int16Array.from(peaks));
        blocks.low.push(Math.min(...peaks));
        blocks.high.push(Math.max(...peaks));
      }
      for (const event of events) {
        if (event.event !== "sound") continue;
        begun.t.push(event.t);
        begun.names.push(event.name);
      }
      if (blocks.t.length > KEEP) {
        const old = blocks.t.length - KEEP;
        for (const list of Object.values(blocks)) list.splice(0, old);
      }
      if (begun.t.length > KEEP) {
        begun.t.splice(0, begun.t.length - KEEP);
        begun.names.splice(0, begun.names.length - KEEP);
      }
      if (isShown && (events.length || sound.length)) describe();
    },
    show(isShown) {
      view.show(isShown);
      if (isShown) describe();
    },
    close: view.close,
  };
}
