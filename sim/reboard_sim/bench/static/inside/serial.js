// The readers' lines: every byte, and what it means. What a reader says over and over is told once, with how often.

import { duration, seconds } from "./axis.js";
import { element, rows } from "./rows.js";

const FRESH_MS = 250; // how often the count of what is repeated is told anew
const SAME_WITHIN = 8; // rows: a reader that is asked, says yes and answers repeats itself after three

export function serial(panel) {
  const each = panel.querySelector(".each");
  const shown = new Map();
  const counting = new Set();
  let telling = 0;
  const list = rows(panel, row);

  each.addEventListener("change", () => {
    shown.clear();
    list.refresh();
  });

  function row(item) {
    if (!each.checked && item.again) return null;
    const made = element("li", item.pieces.some((piece) => piece.is_bad) ? "bad" : "");
    shown.set(item, made);
    fill(made, item);
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

  /** The same as one of the rows just before it: counted there. */
  function counted(item) {
    const key = `${item.line} ${item.by} ${item.pieces.map((piece) => piece.written).join(" ")}`;
    Object.assign(item, { key, times: 1, last: item.t });
    let seen = 0;
    for (let n = list.kept.length - 1; n >= 0 && seen < SAME_WITHIN; n -= 1) {
      const before = list.kept[n];
      if (before.again) continue;
      seen += 1;
      if (before.key !== key) continue;
      before.times += 1;
      before.last = item.t;
      item.again = true;
      return before;
    }
    return null;
  }

  function tellCounts() {
    telling = 0;
    if (!each.checked && !list.isHeld()) for (const item of counting) if (shown.get(item)?.isConnected) fill(shown.get(item), item);
    counting.clear();
    for (const [item, made] of shown) if (!made.isConnected) shown.delete(item);
  }

  return {
    begins: list.begins,
    news({ serial: told = [] }) {
      for (const item of told) {
        const before = counted(item);
        if (before) counting.add(before);
        list.add([item]);
      }
      if (told.length) telling ||= setTimeout(tellCounts, FRESH_MS);
    },
    show: list.show,
    end: () => clearTimeout(telling),
  };
}
