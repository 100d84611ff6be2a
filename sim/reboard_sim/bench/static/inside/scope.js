// A view of the time axis: a canvas with a toolbar, for mouse, touch and keyboard.

import { clockTime } from "/static/clock.js";
import { text } from "/static/text.js";

import { duration, frequency, ticks } from "./time_axis.js";

export const RULER_PX = 24;
const STEP = 0.1; // part of the view that one key press moves
const ZOOM = 1.6;
const WHEEL = 0.0016;
const APART_PX = 104;
const MOVED_PX = 4;
const GRAB_PX = 7;
const SNAP_PX = 10;

/**
 * Show the axis in `root`.
 *
 * `draw(pen, box)` draws below the ruler, `height()` px high. `edge(from, way)` returns the time of the next edge (way 1)
 * or of the one before (-1), or null. `snap(t, y)` returns the nearest edge for a click. `onCursor(way)` is called when
 * the active cursor has moved (0), or when no edge was found that way. `lane(step)` selects another lane.
 */
export function scope(root, axis, { draw, height, edge, snap, onCursor, lane = () => {} }) {
  const canvas = root.querySelector("canvas");
  const pen = canvas.getContext("2d");
  const tools = document.getElementById("scope-tools").content.cloneNode(true).firstElementChild;
  const tool = (name) => tools.querySelector(`.${name}`);
  const readout = tool("readout");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let shown = false;
  let drawing = 0;
  let reportedAt = null; // the last time given to onCursor

  tools.setAttribute("aria-label", canvas.getAttribute("aria-label"));
  root.before(tools);
  tool("live").addEventListener("click", () => axis.follow(!axis.live));
  tool("in").addEventListener("click", () => axis.zoom(1 / ZOOM));
  tool("out").addEventListener("click", () => axis.zoom(ZOOM));
  tool("everything").addEventListener("click", () => axis.all());
  tool("before").addEventListener("click", () => jump(-1));
  tool("after").addEventListener("click", () => jump(1));
  tool("a").addEventListener("click", () => axis.choose("a"));
  tool("b").addEventListener("click", () => axis.choose("b"));
  tool("clear").addEventListener("click", () => axis.clear());

  function redraw() {
    if (shown && !drawing) drawing = requestAnimationFrame(paint);
  }

  function paint() {
    drawing = 0;
    const scale = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const high = RULER_PX + height();
    canvas.style.height = `${high}px`;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(high * scale)) canvas.height = Math.round(high * scale);
    const style = getComputedStyle(canvas);
    const colours = {};
    const colour = (name) => (colours[name] ??= style.getPropertyValue(`--${name}`));
    const box = { width, high, top: RULER_PX, colour };
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, high);
    ruler(box);
    draw(pen, box);
    between(box);
    for (const name of ["a", "b"]) cursor(name, box);
    Object.assign(canvas.dataset, { begin: axis.begin, end: axis.end });
  }

  function ruler({ width, high, colour }) {
    const { step, marks } = ticks(axis, width, APART_PX);
    pen.font = `500 11px ${colour("mono")}`;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    for (const { t, label } of marks) {
      const x = Math.round(axis.x(t, width)) + 0.5;
      pen.strokeStyle = colour("paper-line");
      line(x, RULER_PX - 6, x, high);
      pen.fillStyle = colour("ink-soft");
      pen.fillText(label, x + 4, RULER_PX / 2 - 1);
      pen.strokeStyle = colour("rule");
      for (let part = 0; part < 10; part += 1) {
        const small = Math.round(axis.x(t + (part * step) / 10, width)) + 0.5;
        line(small, RULER_PX - (part ? 3 : 6), small, RULER_PX);
      }
    }
    pen.strokeStyle = colour("rule");
    line(0, RULER_PX + 0.5, width, RULER_PX + 0.5);
  }

  function between({ width, high, colour }) {
    const { a, b } = axis.cursors;
    if (a === null || b === null) return;
    const [from, to] = [axis.x(Math.min(a, b), width), axis.x(Math.max(a, b), width)];
    pen.fillStyle = colour("cursors");
    pen.fillRect(Math.max(0, from), 0, Math.min(width, to) - Math.max(0, from), high);
  }

  function cursor(name, { width, high, colour }) {
    const t = axis.cursors[name];
    const x = t === null ? -1 : Math.round(axis.x(t, width)) + 0.5;
    if (x < 0 || x > width) return;
    pen.strokeStyle = colour(`cursor-${name}`);
    pen.fillStyle = colour(`cursor-${name}`);
    line(x, 0, x, high);
    pen.beginPath();
    pen.roundRect(x - 8, 1, 16, 16, 4);
    pen.fill();
    pen.fillStyle = colour("paper");
    pen.font = `700 11px ${colour("mono")}`;
    pen.textAlign = "center";
    pen.fillText(name.toUpperCase(), x, 9.5);
  }

  function line(x1, y1, x2, y2) {
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  }

  function showCursors() {
    const { a, b } = axis.cursors;
    const parts = [];
    if (a !== null) parts.push(`A ${clockTime(a, 6)}`);
    if (b !== null) parts.push(`B ${clockTime(b, 6)}`);
    if (a !== null && b !== null && a !== b) parts.push(text("A to B {duration}", { duration: duration(b - a) }), frequency(b - a));
    const words = parts.join("   ");
    if (readout.textContent !== words) readout.textContent = words;
    tool("live").setAttribute("aria-pressed", axis.live);
    for (const name of ["a", "b"]) tool(name).setAttribute("aria-pressed", axis.active === name);
    if (reportedAt === axis.cursors[axis.active]) return;
    reportedAt = axis.cursors[axis.active];
    onCursor(0);
  }

  function jump(way) {
    const at = axis.cursors[axis.active] ?? (way > 0 ? axis.begin : Math.min(axis.end, axis.now));
    const t = edge(at, way);
    if (t === null) onCursor(way);
    else axis.set(t);
  }

  // one pointer drags the view, or a cursor by its line; two fingers zoom
  const pointers = new Map();
  let held = null;
  let moved = false;

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const near = (x) => ["a", "b"].find((name) => {
    const t = axis.cursors[name];
    return t !== null && Math.abs(axis.x(t, canvas.clientWidth) - x) < GRAB_PX;
  });

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const here = place(event);
    pointers.set(event.pointerId, here);
    held = pointers.size === 1 ? near(here.x) ?? null : null;
    moved = pointers.size > 1;
    if (held) axis.choose(held);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) {
      canvas.classList.toggle("grabs", Boolean(near(place(event).x)));
      return;
    }
    const here = place(event);
    if (!moved && Math.hypot(here.x - before.x, here.y - before.y) < MOVED_PX) return;
    moved = true;
    const width = canvas.clientWidth;
    if (held) {
      axis.set(snap(axis.t(here.x, width), here.y, (SNAP_PX / width) * axis.span), held);
    } else if (pointers.size === 2) {
      const [one, other] = [...pointers].map(([id, was]) => ({ was, is: id === event.pointerId ? here : was }));
      const [t1, t2] = [axis.t(one.was.x, width), axis.t(other.was.x, width)];
      const apart = other.is.x - one.is.x;
      if (Math.abs(apart) > 20) {
        const span = Math.abs(((t2 - t1) / apart) * width);
        const begin = t1 - (one.is.x / width) * span;
        axis.show(begin, begin + span);
      }
    } else {
      axis.pan(((before.x - here.x) / width) * axis.span);
    }
    pointers.set(event.pointerId, here);
  });
  const lift = (event) => {
    const here = pointers.get(event.pointerId);
    pointers.delete(event.pointerId);
    if (event.type === "pointerup" && here && !moved && !held) {
      const width = canvas.clientWidth;
      axis.place(snap(axis.t(here.x, width), here.y, (SNAP_PX / width) * axis.span));
    }
    held = null;
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("wheel", (event) => {
    // without the focus, the wheel scrolls the page
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
    event.preventDefault();
    const across = event.shiftKey ? event.deltaY : event.deltaX;
    if (Math.abs(across) > Math.abs(event.deltaY) || event.shiftKey) axis.pan((across / canvas.clientWidth) * axis.span);
    else axis.zoom(Math.exp(event.deltaY * WHEEL), axis.t(place(event).x, canvas.clientWidth));
  }, { passive: false });

  const KEYS = {
    ArrowLeft: ({ shiftKey }) => (shiftKey ? jump(-1) : axis.pan(-STEP * axis.span)),
    ArrowRight: ({ shiftKey }) => (shiftKey ? jump(1) : axis.pan(STEP * axis.span)),
    ArrowUp: () => lane(-1),
    ArrowDown: () => lane(1),
    "+": () => axis.zoom(1 / ZOOM),
    "=": () => axis.zoom(1 / ZOOM),
    "-": () => axis.zoom(ZOOM),
    Home: () => axis.all(),
    End: () => axis.follow(true),
    Escape: () => axis.clear(),
    a: () => axis.choose("a"),
    b: () => axis.choose("b"),
  };
  canvas.addEventListener("keydown", (event) => {
    const command = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!command || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // the key is not for the banker unit
    command(event);
  });

  axis.listen(() => {
    if (!shown) return;
    showCursors();
    redraw();
  });
  const resized = new ResizeObserver(redraw);
  resized.observe(root);
  dark.addEventListener("change", redraw);

  return {
    redraw,
    show(now) {
      shown = now;
      if (now) showCursors();
      redraw();
    },
    close() {
      shown = false;
      resized.disconnect();
      dark.removeEventListener("change", redraw);
      cancelAnimationFrame(drawing);
    },
  };
}
