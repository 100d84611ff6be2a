// The table's clock: what it says, how fast it goes, and steps from one thing that happens to the next.

import { isForTable } from "./shortcuts.js";

const EVERY_MS = 200;
const MOST_GUESSED = 10; // a faster clock may fall behind what it is said to do: it shows what was told
const KEYS = { p: "pause", n: "step" };

export function time() {
  const group = document.getElementById("time");
  const clock = document.getElementById("clock");
  const paces = [...group.querySelectorAll("[data-pace]")];
  const step = document.getElementById("step");
  let told = null;
  let toldAt = 0;
  let before = "1"; // the pace that a pause came after

  async function ask(wish) {
    if (told?.pace === "scene") return;
    await fetch("/api/bench/time", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(wish),
    }).catch(() => null); // the line at the top tells that the bench has gone
  }

  function choose(pace) {
    void ask({ pace: pace === "fast" ? pace : Number(pace) });
  }

  for (const button of paces) button.addEventListener("click", () => choose(button.dataset.pace));
  step.addEventListener("click", () => void ask({ step: true }));

  document.addEventListener("keydown", (event) => {
    if (event.repeat || !isForTable(event)) return;
    const wish = KEYS[event.key.toLowerCase()];
    if (wish === "pause") choose(told?.pace === 0 ? before : "0");
    if (wish === "step") void ask({ step: true });
  });

  function show() {
    if (!told?.powered) {
      clock.textContent = "–:––";
      return;
    }
    const stands = told.pace === 0;
    const gone = told.rate > MOST_GUESSED ? 0 : (told.rate * (performance.now() - toldAt)) / 1000;
    const seconds = Math.max(0, told.t + gone - told.switched_on_at);
    clock.textContent = shown(stands ? seconds : Math.floor(seconds), stands ? 6 : 0);
  }

  setInterval(show, EVERY_MS);

  return {
    hardware(now) {
      told = now;
      toldAt = performance.now();
      const pace = String(now.pace);
      const isBeingSet = pace === "scene";
      if (pace !== "0" && !isBeingSet) before = pace;
      for (const button of paces) button.setAttribute("aria-pressed", button.dataset.pace === pace);
      // not `disabled`, which would take the focus away
      for (const button of [...paces, step]) button.setAttribute("aria-disabled", isBeingSet);
      show();
    },
  };
}

/** Seconds as 3:07, or 1:03:07.250000. */
function shown(seconds, digits) {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = (seconds % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
