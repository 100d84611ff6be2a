// The bench of a real table: a notice, and no acts.

import { plural } from "/static/text.js";

import { refuseLines } from "./line_queue.js";

/** `why` says why the bench cannot act on the table; empty for a virtual table. */
export function attached(why) {
  const notice = document.getElementById("attached");
  const problem = document.getElementById("attached-problem");
  if (!why) return {};
  document.body.dataset.readOnly = "";
  notice.hidden = false;
  document.getElementById("attached-why").textContent = why;
  refuseLines(why);

  return {
    hardware({ attached: { problem: away, dropped } }) {
      const lost = dropped ? plural("1 signal was lost, because it came too fast.", "{n} signals were lost, because they came too fast.", dropped) : "";
      const words = away ?? lost;
      if (problem.textContent !== words) problem.textContent = words;
    },
  };
}
