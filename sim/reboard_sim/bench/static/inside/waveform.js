// The sound card's output: the lowest and the highest sample of every 2.5 ms, and which sounds began.

import { scope } from "./scope.js";
import { duration, seconds } from "./time_axis.js";
import { after } from "./timeline.js";

const BLOCK_S = 0.02;
const KEEP = 30_000; // blocks: ten minutes of sound without a pause
const FULL = 32768;
const LEAST = 0.05; // of full scale: quieter sound is not enlarged further
const HIGH_PX = 260;
const FLAG_PX = 20;
const NO_SOUND = { 1: "No later sound. ", "-1": "No earlier sound. " };

export function waveform(panel, axis) {
  const summary = panel.querySelector(".said");
  const blocks = { t: [], peaks: [] };
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
    for (let n = first; n < last; n += 1) for (const peak of blocks.peaks[n]) most = Math.max(most, Math.abs(peak));

    pen.fillStyle = colour("paper-line");
    pen.fillRect(0, middle - half, width, 1);
    pen.fillRect(0, middle + half, width, 1);
    pen.fillStyle = colour("rule");
    pen.fillRect(0, middle - 0.5, Math.min(width, axis.x(axis.now, width)), 1);
    pen.fillStyle = colour("lane-sound");
    for (let n = first; n < last; n += 1) {
      const peaks = blocks.peaks[n];
      const step = BLOCK_S / (peaks.length / 2);
      for (let k = 0; k < peaks.length; k += 2) {
        const t = blocks.t[n] + (k / 2) * step;
        const x = axis.x(t, width);
        const [low, up] = [(peaks[k] / most) * half, (peaks[k + 1] / most) * half];
        pen.fillRect(x, middle - up, Math.max(1, axis.x(t + step, width) - x), Math.max(1, up - low));
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
    pen.fillText(`± ${Math.round((most / FULL) * 100)} % of full scale`, width - 8, high - 10);
  }

  function describe() {
    const text = noSound + lastBegun();
    if (summary.textContent !== text) summary.textContent = text;
  }

  /** Describe the last sound, or the last one before the cursor, in words. */
  function lastBegun() {
    if (!begun.t.length) return "No sound began in the recorded time.";
    const cursor = `cursor ${axis.active.toUpperCase()}`;
    const at = axis.cursors[axis.active];
    const place = at === null ? begun.t.length - 1 : after(begun.t, at) - 1;
    if (place < 0) return `No sound began before ${cursor}.`;
    const before = at === null ? "" : `, ${duration(at - begun.t[place])} before ${cursor}`;
    return `${begun.names[place]} began at ${seconds(begun.t[place])}${before}.`;
  }

  return {
    clear() {
      for (const list of [blocks.t, blocks.peaks, begun.t, begun.names]) list.length = 0;
    },
    update({ sound = [], events = [] }, isShown) {
      for (const [t, peaks] of sound) {
        blocks.t.push(t);
        blocks.peaks.push(Int16Array.from(peaks));
      }
      for (const event of events) {
        if (event.event !== "sound") continue;
        begun.t.push(event.t);
        begun.names.push(event.name);
      }
      if (blocks.t.length > KEEP) {
        blocks.t.splice(0, blocks.t.length - KEEP);
        blocks.peaks.splice(0, blocks.peaks.length - KEEP);
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
