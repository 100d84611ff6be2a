// The time axis of the scopes: the part in view, whether it follows the table, and two cursors. In seconds.

import { clockTime } from "/static/clock.js";

const SHORTEST_S = 5e-6;
const LONGEST_S = 3600;
const FIRST_S = 10;
const AHEAD = 0.02; // part of the view that stays free on the right

export class TimeAxis {
  #listeners = new Set();
  #next = "a"; // the cursor that a click sets
  #rests = false; // at the last activity, until the user moves the view

  constructor() {
    this.reset();
  }

  /** Start again, with nothing recorded. */
  reset() {
    Object.assign(this, { now: 0, oldest: 0, begin: -FIRST_S, end: 0, live: true });
    this.#rests = false;
    this.#unset();
  }

  /** Call `listener` after each change. */
  listen(listener) {
    this.#listeners.add(listener);
  }

  #changed() {
    this.#listeners.forEach((listener) => listener());
  }

  get span() {
    return this.end - this.begin;
  }

  /** Return the x of time `t`, on a canvas of this width. */
  x(t, width) {
    return ((t - this.begin) / this.span) * width;
  }

  /** Return the time at `x`, on a canvas of this width. */
  t(x, width) {
    return this.begin + (x / width) * this.span;
  }

  /** Set the time at the table, and the oldest time that is recorded. */
  tick(now, oldest) {
    this.now = now;
    this.oldest = oldest;
    if (this.live) this.#toNow(this.span);
    this.#changed();
  }

  /** Show the last activity, at `t`, instead of a present without any. */
  rest(t) {
    if (t >= this.begin) return;
    this.show(t - 0.8 * FIRST_S, t + 0.2 * FIRST_S);
    this.#rests = true;
  }

  /** Follow the table again after `rest`: something has happened. */
  wake() {
    if (this.#rests) this.follow(true);
  }

  /** Show the part between two times, and stop following the table. */
  show(begin, end) {
    this.#rests = false;
    const span = Math.min(LONGEST_S, Math.max(SHORTEST_S, end - begin));
    const middle = (begin + end) / 2;
    Object.assign(this, { begin: middle - span / 2, end: middle + span / 2, live: false });
    this.#changed();
  }

  /** Show `factor` times as much. The time `at` keeps its place; while live, the present does. */
  zoom(factor, at = this.#middle) {
    const span = Math.min(LONGEST_S, Math.max(SHORTEST_S, this.span * factor));
    if (this.live) {
      this.#toNow(span);
      this.#changed();
    } else {
      const left = ((at - this.begin) / this.span) * span;
      this.show(at - left, at - left + span);
    }
  }

  /** Move the view by seconds. Positive is later. */
  pan(seconds) {
    this.show(this.begin + seconds, this.end + seconds);
  }

  /** Show everything that is recorded. */
  all() {
    this.show(this.oldest, Math.max(this.now, this.oldest + SHORTEST_S));
  }

  /** Follow the table, or stop. */
  follow(live) {
    this.#rests = false;
    this.live = live;
    if (live) this.#toNow(Math.min(this.span, FIRST_S));
    this.#changed();
  }

  /** Choose the active cursor: "a" or "b". */
  choose(cursor) {
    this.active = this.#next = cursor;
    this.#changed();
  }

  /** Set the next cursor at `t`: the chosen one, or B after A. */
  place(t) {
    this.set(t, this.#next);
    if (this.cursors.b === null) this.#next = "b";
  }

  /** Set a cursor at `t`, make it the active one, and show it. */
  set(t, cursor = this.active) {
    this.#rests = false;
    this.active = cursor;
    this.cursors[cursor] = t;
    if (t < this.begin || t > this.end) this.show(t - this.span / 2, t + this.span / 2);
    else if (this.live) this.follow(false);
    else this.#changed();
  }

  /** Remove both cursors. */
  clear() {
    this.#unset();
    this.#changed();
  }

  #unset() {
    this.cursors = { a: null, b: null };
    this.active = this.#next = "a";
  }

  get #middle() {
    const at = this.cursors[this.active];
    return at !== null && at >= this.begin && at <= this.end ? at : (this.begin + this.end) / 2;
  }

  #toNow(span) {
    this.end = this.now + span * AHEAD;
    this.begin = this.end - span;
  }
}

/** Return round times between `begin` and `end`, at least `apart` px from each other, each with its label. */
export function ticks({ begin, end }, width, apart) {
  const least = ((end - begin) / width) * apart;
  const decade = 10 ** Math.floor(Math.log10(least));
  const step = decade * [1, 2, 5, 10].find((times) => times * decade >= least * 0.999999);
  const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
  const found = [];
  for (let n = Math.ceil(begin / step); n * step <= end; n += 1) found.push({ t: n * step, label: clockTime(n * step, digits) });
  return { step, marks: found };
}

/** Format a duration in s, ms or µs, to so many digits. */
export function duration(t, digits = 6) {
  const size = Math.abs(t);
  if (size >= 1) return `${round(t, digits)} s`;
  if (size >= 1e-3) return `${round(t * 1e3, digits)} ms`;
  return `${round(t * 1e6, digits)} µs`;
}

/** Format the frequency of a period of `t` seconds. */
export function frequency(t) {
  const hertz = 1 / Math.abs(t);
  if (hertz >= 1e6) return `${round(hertz / 1e6)} MHz`;
  return hertz >= 1e3 ? `${round(hertz / 1e3)} kHz` : `${round(hertz)} Hz`;
}

const round = (number, digits = 6) => String(Number(number.toPrecision(digits)));
