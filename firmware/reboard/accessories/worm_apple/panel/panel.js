// The panel of the worm apple: worms that move with the motor, and the time left.

import { show } from "/static/element.js";
import { text } from "/static/text.js";
import { worms } from "./worms.js";

import { appleState } from "./words.js";

const TURNS_PER_S = 1.4; // of the worms' shaft at full power
const STEP_S = 0.05;

export default function wormApple() {
  document.getElementById("lever").remove(); // the drawing has one for the bench
  const drawing = worms();
  const label = document.getElementById("worms");
  const bar = document.getElementById("turn");
  const fill = bar.firstElementChild;
  const left = document.getElementById("turn-left");
  let level = 0;
  let turns = 0;
  let interval = 0;
  let turn = null;
  let nextSecond = 0;

  function move() {
    turns += level * TURNS_PER_S * STEP_S;
    drawing.hardware({ motor: { speed: level, turns } });
    if (level) return;
    clearInterval(interval);
    interval = 0;
  }

  /** Show the whole seconds left. */
  function countDown() {
    clearTimeout(nextSecond);
    if (!turn) return;
    const left_s = Math.max(0, (turn.ends_ms - performance.now()) / 1000);
    const whole = Math.ceil(left_s);
    if (bar.getAttribute("aria-valuenow") !== String(whole)) {
      bar.setAttribute("aria-valuenow", whole);
      bar.setAttribute("aria-valuetext", text("{seconds} s", { seconds: whole }));
      left.textContent = text("{seconds} s", { seconds: whole });
    }
    if (left_s > 0) nextSecond = setTimeout(countDown, 1000 * (left_s - whole + 1) + 1);
  }

  /** Let the bar shrink as an animation of the compositor, which needs no script at every frame. */
  function shrink(left_s, seconds) {
    for (const before of fill.getAnimations()) before.cancel();
    const transform = [`scaleX(${Math.max(0, left_s) / seconds})`, "scaleX(0)"];
    fill.animate({ transform }, { duration: 1000 * Math.max(0, left_s), fill: "forwards" });
  }

  function stop() {
    level = 0;
    turn = null;
    show("turn", false);
    left.textContent = "";
  }

  drawing.hardware({ motor: null });

  return {
    table({ t, apple }) {
      if (label.textContent !== appleState(apple)) label.textContent = appleState(apple);
      if (!apple.running) {
        stop();
        return;
      }
      if (apple.started_at == null) return;
      const left_s = apple.seconds - (t - apple.started_at);
      turn = { seconds: apple.seconds, ends_ms: performance.now() + left_s * 1000 };
      bar.setAttribute("aria-valuemax", apple.seconds);
      show("turn", true);
      shrink(left_s, apple.seconds);
      countDown();
    },
    event(event, isPast) {
      if (isPast) return;
      if (event.event === "motor" && event.device === "apple.motor") level = event.level;
      if (event.event === "apple.stopped") stop();
      if (level && !interval) interval = setInterval(move, STEP_S * 1000);
    },
    connection(state) {
      if (state !== "live") stop();
    },
  };
}
