// The worm apple: worms that dance with the motor, and how much of the turn is left.

import { worms as inWords } from "/static/words.js";
import { worms } from "/static/worms.js";

import { show } from "./element.js";
import { text } from "./language.js";

const TURNS_PER_S = 1.4; // of the worms' shaft, when the motor has full power
const STEP_S = 0.05;

export function appleTurn() {
  document.getElementById("lever").remove(); // it is at the table, not here
  const dance = worms();
  const says = document.getElementById("worms");
  const bar = document.getElementById("turn");
  const fill = bar.firstElementChild;
  const left = document.getElementById("turn-left");
  let level = 0;
  let turns = 0;
  let turning = 0;
  let turn = null;
  let frame = 0;

  function dancing() {
    turns += level * TURNS_PER_S * STEP_S;
    dance.hardware({ motor: { speed: level, turns } });
    if (level) return;
    clearInterval(turning);
    turning = 0;
  }

  function count() {
    frame = 0;
    if (!turn) return;
    const left_s = Math.max(0, (turn.ends - performance.now()) / 1000);
    fill.style.transform = `scaleX(${left_s / turn.seconds})`;
    const whole = Math.ceil(left_s);
    if (bar.getAttribute("aria-valuenow") !== String(whole)) {
      bar.setAttribute("aria-valuenow", whole);
      bar.setAttribute("aria-valuetext", text("seconds", { seconds: whole }));
      left.textContent = text("seconds", { seconds: whole });
    }
    if (left_s > 0) frame = requestAnimationFrame(count);
  }

  function stop() {
    level = 0;
    turn = null;
    show("turn", false);
    left.textContent = "";
  }

  dance.hardware({ motor: null });

  return {
    table({ t, apple }) {
      show("apple", apple != null);
      if (apple == null) return;
      const words = inWords(apple);
      if (says.textContent !== words) says.textContent = words;
      if (!apple.running) {
        stop();
        return;
      }
      if (apple.started_at == null) return;
      const left_s = apple.seconds - (t - apple.started_at);
      turn = { seconds: apple.seconds, ends: performance.now() + left_s * 1000 };
      bar.setAttribute("aria-valuemax", apple.seconds);
      show("turn", true);
      if (!frame) count();
    },
    event(event, isPast) {
      if (isPast) return;
      if (event.event === "motor") level = event.level;
      if (event.event === "apple.stopped") stop();
      if (level && !turning) turning = setInterval(dancing, STEP_S * 1000);
    },
    still: stop,
  };
}
