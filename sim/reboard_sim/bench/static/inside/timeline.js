// The history of one pin: its duty cycle (0 to 1, null: unknown) from each time on.

const MOST = 40_000;

export class Timeline {
  constructor() {
    this.t = [];
    this.duty = [];
  }

  /** Add edges that are later than all before: `[[t, duty], …]`. */
  add(edges) {
    for (const [t, duty] of edges) {
      this.t.push(t);
      this.duty.push(duty);
    }
    if (this.t.length > MOST) {
      this.t.splice(0, this.t.length - MOST / 2);
      this.duty.splice(0, this.duty.length - MOST / 2);
    }
  }

  /** Return the index of the last change at or before `t`; -1 before the first. */
  at(t) {
    return after(this.t, t) - 1;
  }

  /** Return the time of the next change after `t` (way 1), or of the last one before it (-1), or null. */
  next(t, way) {
    const place = way > 0 ? after(this.t, t) : before(this.t, t);
    return this.t[place] ?? null;
  }

  /** Return the time of the change nearest to `t`, or null if none is within `within` seconds. */
  near(t, within) {
    const place = after(this.t, t);
    const [sooner, later] = [this.t[place - 1] ?? -Infinity, this.t[place] ?? Infinity];
    const nearest = t - sooner < later - t ? sooner : later;
    return Math.abs(nearest - t) < within ? nearest : null;
  }
}

/** Return how many of the sorted `times` are not after `t`. */
export function after(times, t) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

function before(times, t) {
  let place = after(times, t) - 1;
  while (place >= 0 && times[place] === t) place -= 1;
  return place;
}
