// The clock of the table: its time, its pace, and steps from one event to the next.

import { clockTime } from "/static/clock.js";
import { text } from "/static/text.js";

import { posted, request } from "./request.js";
import { isForTable } from "./shortcuts.js";

const SLACK_MS = 5; // a timer may fire a little early
const FASTEST_SHOWN = 10; // a faster table may fall behind its pace: the page shows the reported time
const KEYS = { p: "pause", n: "step" };

/** `hasKeys()`: whether P and N act. */
export function time(hasKeys) {
  const group = document.getElementById("time");
  const clock = document.getElementById("clock");
  const paces = [...group.querySelectorAll("[data-pace]")];
  const step = document.getElementById("step");
  let latest = null;
  let latestAt = 0;
  let ticking = 0;
  let before = "1"; // the pace before a pause

  async function ask(change) {
    if (latest?.pace === "scene") return;
    // the top of the page shows that the bench does not answer
    await request("api/bench/time", { ...posted(change), what: text("the clock") }).catch(() => null);
  }

  function choose(pace) {
    void ask({ pace: pace === "fast" ? pace : Number(pace) });
  }

  for (const button of paces) button.addEventListener("click", () => choose(button.dataset.pace));
  step.addEventListener("click", () => void ask({ step: true }));

  document.addEventListener("keydown", (event) => {
    if (event.repeat || !isForTable(event) || !hasKeys()) return;
    const key = KEYS[event.key.toLowerCase()];
    if (key === "pause") choose(latest?.pace === 0 ? before : "0");
    if (key === "step") void ask({ step: true });
  });

  /** Show the time, and again when its last digit changes. */
  function show() {
    clearTimeout(ticking);
    const { t, rate, pace } = latest;
    const isEven = rate > 0 && rate <= FASTEST_SHOWN;
    const now = t + (isEven ? (rate * (performance.now() - latestAt)) / 1000 : 0);
    const shown = clockTime(now, pace === 0 ? 6 : 0);
    // the data of the text: another text would style the whole page again
    if (clock.firstChild.data !== shown) clock.firstChild.data = shown;
    if (isEven) ticking = setTimeout(show, ((Math.floor(now) + 1 - now) / rate) * 1000 + SLACK_MS);
  }

  return {
    hardware(now) {
      latest = now;
      latestAt = performance.now();
      const pace = String(now.pace);
      const isLoading = pace === "scene";
      if (pace !== "0" && !isLoading) before = pace;
      for (const button of paces) button.setAttribute("aria-pressed", button.dataset.pace === pace);
      // not `disabled`, which would take the focus away
      for (const button of [...paces, step]) button.setAttribute("aria-disabled", isLoading);
      show();
    },
  };
}
