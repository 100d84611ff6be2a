// Time, left to right: what part of it is seen, whether it follows the table, and two cursors on it. In seconds.

const SHORTEST_S = 5e-6;
const LONGEST_S = 3600;
const FIRST_S = 10;
const AHEAD = 0.02; // how much of what is seen is left free for what comes

export class TimeAxis {
  #listeners = new Set();
  #next = "a"; // the cursor that a click sets

  constructor() {
    this.begins();
  }

  /** Begin anew: nothing is known yet. */
  begins() {
    Object.assign(this, { now: 0, oldest: 0, begin: -FIRST_S, end: 0, live: true });
    this.#unset();
  }

  /** Call `listener` whenever anything of this changes. */
  listen(listener) {
    this.#listeners.add(listener);
  }

  #changed() {
    this.#listeners.forEach((listener) => listener());
  }

  get span() {
    return this.end - this.begin;
  }

  /** Where on `width` the time `t` is. */
  x(t, width) {
    return ((t - this.begin) / this.span) * width;
  }

  /** Which time is at `x` of `width`. */
  t(x, width) {
    return this.begin + (x / width) * this.span;
  }

  /** It is `now` at the table, and remembered is what came after `oldest`. */
  tick(now, oldest) {
    this.now = now;
    this.oldest = oldest;
    if (this.live) this.#toNow(this.span);
    this.#changed();
  }

  /** See what is between two times, and no longer what comes. */
  show(begin, end) {
    const span = Math.min(LONGEST_S, Math.max(SHORTEST_S, end - begin));
    const middle = (begin + end) / 2;
    Object.assign(this, { begin: middle - span / 2, end: middle + span / 2, live: false });
    this.#changed();
  }

  /** See `factor` times as much: more than 1 is farther away. `at` stays where it is, or the present while it is followed. */
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

  /** Move by so many seconds: more than 0 is later. */
  pan(seconds) {
    this.show(this.begin + seconds, this.end + seconds);
  }

  /** See all that is remembered. */
  all() {
    this.show(this.oldest, Math.max(this.now, this.oldest + SHORTEST_S));
  }

  /** Follow the present, or stay where one is. */
  follow(live) {
    this.live = live;
    if (live) this.#toNow(Math.min(this.span, FIRST_S));
    this.#changed();
  }

  /** Which cursor is set from now on: "a" or "b". */
  choose(cursor) {
    this.active = this.#next = cursor;
    this.#changed();
  }

  /** Set the cursor whose turn it is at `t`: the chosen one, and B once there is an A. */
  place(t) {
    this.set(t, this.#next);
    if (this.cursors.b === null) this.#next = "b";
  }

  /** Set a cursor at `t`, and have it in sight: it is the active one now. */
  set(t, cursor = this.active) {
    this.active = cursor;
    this.cursors[cursor] = t;
    if (t < this.begin || t > this.end) this.show(t - this.span / 2, t + this.span / 2);
    else if (this.live) this.follow(false);
    else this.#changed();
  }

  /** Take both cursors away. */
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

/** Round times between `begin` and `end`, at least `apart` of `width` from each other, each with its label. */
export function ticks({ begin, end }, width, apart) {
  const least = ((end - begin) / width) * apart;
  const decade = 10 ** Math.floor(Math.log10(least));
  const step = decade * [1, 2, 5, 10].find((times) => times * decade >= least * 0.999999);
  const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
  const found = [];
  for (let n = Math.ceil(begin / step); n * step <= end; n += 1) found.push({ t: n * step, label: seconds(n * step, digits) });
  return { step, marks: found };
}

/** A time at the table: seconds, the digits behind the point in threes. */
export function seconds(t, digits = 6) {
  const [whole, part] = Math.abs(t).toFixed(digits).split(".");
  const grouped = part ? `${whole}.${part.replace(/(\d{3})(?=\d)/g, "$1\u202f")}` : whole;
  return `${t < 0 ? "−" : ""}${grouped} s`;
}

/** How long something takes, in the unit that fits, to so many digits. */
export function duration(t, digits = 6) {
  const size = Math.abs(t);
  if (size >= 1) return `${round(t, digits)} s`;
  if (size >= 1e-3) return `${round(t * 1e3, digits)} ms`;
  return `${round(t * 1e6, digits)} µs`;
}

/** How often a second that is which takes `t`. */
export function frequency(t) {
  const hertz = 1 / Math.abs(t);
  if (hertz >= 1e6) return `${round(hertz / 1e6)} MHz`;
  return hertz >= 1e3 ? `${round(hertz / 1e3)} kHz` : `${round(hertz)} Hz`;
}

const round = (number, digits = 6) => String(Number(number.toPrecision(digits)));
