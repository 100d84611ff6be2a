// The readers' lines: every byte, and what it means. What a reader says over and over is told once, with how often.

import { duration, seconds } from "./axis.js";
import { element, rows } from "./rows.js";

const SAME_WITHIN_S = 2; // a reader that sees no card is asked every second
const KNOWN = 200;
const FRESH_MS = 250; // how often the counts are told anew
const STALE_S = 0.5; // a row that was counted so much later than the one above it goes up

export function serial(panel) {
  const each = panel.querySelector(".each");
  const items = new Map(); // of the rows that are shown
  const latest = new Map(); // of what was said, by what it is
  const counting = new Set();
  let telling = 0;
  const list = rows(panel, row);

  each.addEventListener("change", () => {
    latest.clear();
    list.refresh();
  });

  function row(item) {
    if (!each.checked && item.again) return null;
    const made = element("li", item.pieces.some((piece) => piece.is_bad) ? "bad" : "");
    items.set(made, item);
    fill(made, item);
    if (item.times > 1) count(item);
    return made;
  }

  function fill(made, item) {
    const way = item.by === "reader" ? "→ Pi" : "← Pi";
    const means = item.pieces.map((piece) => piece.means).join(", ");
    const often = !each.checked && item.times > 1 ? `${item.times} times, every ${duration((item.last - item.t) / (item.times - 1), 3)}` : "";
    made.replaceChildren(
      element("time", "", seconds(each.checked ? item.t : item.last)),
      element("span", "from", `${item.line} ${way}`),
      element("code", "", ...item.pieces.flatMap((piece) => [element(piece.is_bad ? "mark" : "span", "", piece.written), " "])),
      element("span", "means", means, often ? element("small", "", often) : ""),
    );
  }

  /** What was just said before is counted there. */
  function hear(item) {
    const key = `${item.line} ${item.by} ${item.pieces.map((piece) => piece.written).join(" ")}`;
    const before = latest.get(key);
    item.again = Boolean(before && item.t - before.last < SAME_WITHIN_S);
    const first = item.again ? before : Object.assign(item, { times: 0 });
    first.times += 1;
    first.last = item.t;
    latest.delete(key);
    latest.set(key, first);
    if (latest.size > KNOWN) latest.delete(latest.keys().next().value);
    if (item.again) count(first);
  }

  function count(item) {
    counting.add(item);
    telling ||= setTimeout(tellCounts, FRESH_MS);
  }

  function tellCounts() {
    telling = 0;
    for (const [made, item] of items) {
      if (!made.isConnected) items.delete(made);
      else if (counting.has(item) && !each.checked && !list.isHeld()) {
        fill(made, item);
        let above = made.previousElementSibling;
        while (above && items.get(above).last < item.last - STALE_S) above = above.previousElementSibling;
        if (above !== made.previousElementSibling) made.parentElement.insertBefore(made, above ? above.nextSibling : made.parentElement.firstChild);
      }
    }
    counting.clear();
  }

  return {
    begins() {
      latest.clear();
      list.begins();
    },
    news({ serial: told = [] }) {
      told.forEach(hear);
      list.add(each.checked ? told : told.filter((item) => !item.again)); // else who lies there would push out all the rest
    },
    show: list.show,
    end: () => clearTimeout(telling),
  };
}
