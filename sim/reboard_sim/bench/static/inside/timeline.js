// What one wire did: its duty (0 to 1) from each time on, and null from where nobody knows.

const MOST = 40_000;

export class Timeline {
  constructor() {
    this.t = [];
    this.duty = [];
  }

  /** Later than all before: `[[t, duty], …]`. */
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

  /** The place of the last change at or before `t`; -1 before the first. */
  at(t) {
    return after(this.t, t) - 1;
  }

  /** When it changes next after `t` (way 1), or did last before it (-1); null when it does not. */
  next(t, way) {
    const place = way > 0 ? after(this.t, t) : before(this.t, t);
    return this.t[place] ?? null;
  }

  /** The change nearest to `t`, if it is less than `within` away. */
  near(t, within) {
    const place = after(this.t, t);
    const [sooner, later] = [this.t[place - 1] ?? -Infinity, this.t[place] ?? Infinity];
    const nearest = t - sooner < later - t ? sooner : later;
    return Math.abs(nearest - t) < within ? nearest : null;
  }
}

/** How many of the sorted `times` are not after `t`. */
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
