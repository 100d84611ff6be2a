// The readers' lines: every byte and its meaning. A repeated frame is listed once, with a count.

import { clockTime } from "/static/clock.js";

import { element, frameList } from "./frame_list.js";
import { duration } from "./time_axis.js";

const REPEAT_WITHIN_S = 2; // the firmware polls a reader without a card every second
const MOST_FRAMES = 200;
const COUNT_MS = 250; // how often the counts are updated
const STALE_S = 0.5; // a row that is this much newer than the one above it moves up

export function serial(panel) {
  const showAll = panel.querySelector(".each");
  const items = new Map(); // by the row that shows them
  const latest = new Map(); // item by line, sender and bytes
  const counting = new Set();
  let updating = 0;
  const list = frameList(panel, row);

  showAll.addEventListener("change", () => {
    latest.clear();
    list.refresh();
  });

  function row(item) {
    if (!showAll.checked && item.again) return null;
    const made = element("li", item.pieces.some((piece) => piece.is_bad) ? "bad" : "");
    items.set(made, item);
    fill(made, item);
    if (item.times > 1) count(item);
    return made;
  }

  function fill(made, item) {
    const way = item.by === "reader" ? "→ Pi" : "← Pi";
    const means = item.pieces.map((piece) => piece.means).join(", ");
    const often = !showAll.checked && item.times > 1 ? `${item.times} times, every ${duration((item.last - item.t) / (item.times - 1), 3)}` : "";
    made.replaceChildren(
      element("time", "", clockTime(showAll.checked ? item.t : item.last, 6)),
      element("span", "from", `${item.line} ${way}`),
      element("code", "", ...item.pieces.flatMap((piece) => [element(piece.is_bad ? "mark" : "span", "", piece.written), " "])),
      element("span", "means", means, often ? element("small", "", often) : ""),
    );
  }

  /** Count a repeated frame at its first item. */
  function receive(item) {
    const key = `${item.line} ${item.by} ${item.pieces.map((piece) => piece.written).join(" ")}`;
    const before = latest.get(key);
    item.again = Boolean(before && item.t - before.last < REPEAT_WITHIN_S);
    const first = item.again ? before : Object.assign(item, { times: 0 });
    first.times += 1;
    first.last = item.t;
    latest.delete(key);
    latest.set(key, first);
    if (latest.size > MOST_FRAMES) latest.delete(latest.keys().next().value);
    if (item.again) count(first);
  }

  function count(item) {
    counting.add(item);
    updating ||= setTimeout(showCounts, COUNT_MS);
  }

  function showCounts() {
    updating = 0;
    for (const [made, item] of items) {
      if (!made.isConnected) items.delete(made);
      else if (counting.has(item) && !showAll.checked && !list.isHeld()) {
        fill(made, item);
        let above = made.previousElementSibling;
        while (above && items.get(above).last < item.last - STALE_S) above = above.previousElementSibling;
        if (above !== made.previousElementSibling) made.parentElement.insertBefore(made, above ? above.nextSibling : made.parentElement.firstChild);
      }
    }
    counting.clear();
  }

  return {
    clear() {
      latest.clear();
      list.clear();
    },
    update({ serial: frames = [] }) {
      frames.forEach(receive);
      list.add(showAll.checked ? frames : frames.filter((item) => !item.again)); // repeats would push out all other frames
    },
    show: list.show,
    close: () => clearTimeout(updating),
  };
}
