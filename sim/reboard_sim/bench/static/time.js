// The clock of the table: its time, its pace, and steps from one event to the next.

import { isForTable } from "./shortcuts.js";

const EVERY_MS = 200;
const FASTEST_SHOWN = 10; // a faster table may fall behind its pace: the page shows the reported time
const KEYS = { p: "pause", n: "step" };

export function time() {
  const group = document.getElementById("time");
  const clock = document.getElementById("clock");
  const paces = [...group.querySelectorAll("[data-pace]")];
  const step = document.getElementById("step");
  let latest = null;
  let latestAt = 0;
  let before = "1"; // the pace before a pause

  async function ask(request) {
    if (latest?.pace === "scene") return;
    await fetch("/api/bench/time", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
    }).catch(() => null); // the top of the page shows that the bench does not answer
  }

  function choose(pace) {
    void ask({ pace: pace === "fast" ? pace : Number(pace) });
  }

  for (const button of paces) button.addEventListener("click", () => choose(button.dataset.pace));
  step.addEventListener("click", () => void ask({ step: true }));

  document.addEventListener("keydown", (event) => {
    if (event.repeat || !isForTable(event)) return;
    const key = KEYS[event.key.toLowerCase()];
    if (key === "pause") choose(latest?.pace === 0 ? before : "0");
    if (key === "step") void ask({ step: true });
  });

  function show() {
    const text = tableTime();
    // the same text again would style the whole page again
    if (clock.textContent !== text) clock.textContent = text;
  }

  function tableTime() {
    if (!latest?.powered) return "–:––";
    const isPaused = latest.pace === 0;
    const gone = latest.rate > FASTEST_SHOWN ? 0 : (latest.rate * (performance.now() - latestAt)) / 1000;
    const seconds = Math.max(0, latest.t + gone - latest.switched_on_at);
    return shown(isPaused ? seconds : Math.floor(seconds), isPaused ? 6 : 0);
  }

  setInterval(show, EVERY_MS);

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

/** Format seconds as 3:07, or 1:03:07.250000. */
function shown(seconds, digits) {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = (seconds % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
