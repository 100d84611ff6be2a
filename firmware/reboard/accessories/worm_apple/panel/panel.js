// The panel of the worm apple: worms that move with the motor, and the time left.

import { show } from "/static/element.js";
import { text } from "/static/text.js";
import { worms } from "./worms.js";

import { appleState } from "./words.js";

const TURNS_PER_S = 1.4; // of the worms' shaft at full power

export default function wormApple() {
  document.getElementById("lever").remove(); // the drawing has one for the bench
  const turn = worms();
  const label = document.getElementById("worms");
  const bar = document.getElementById("turn");
  const fill = bar.firstElementChild;
  const left = document.getElementById("turn-left");
  let running = null;
  let nextSecond = 0;

  /** Show the whole seconds left. */
  function countDown() {
    clearTimeout(nextSecond);
    if (!running) return;
    const left_s = Math.max(0, (running.ends_ms - performance.now()) / 1000);
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
    turn(0);
    running = null;
    show("turn", false);
    left.textContent = "";
  }

  return {
    table({ t, apple }) {
      if (label.textContent !== appleState(apple)) label.textContent = appleState(apple);
      if (!apple.running) {
        stop();
        return;
      }
      if (apple.started_at == null) return;
      const left_s = apple.seconds - (t - apple.started_at);
      running = { ends_ms: performance.now() + left_s * 1000 };
      bar.setAttribute("aria-valuemax", apple.seconds);
      show("turn", true);
      shrink(left_s, apple.seconds);
      countDown();
    },
    event(event, isPast) {
      if (isPast) return;
      if (event.event === "motor" && event.device === "apple.motor") turn(event.level * TURNS_PER_S);
      if (event.event === "apple.stopped") stop();
    },
    connection(state) {
      if (state !== "live") stop();
    },
  };
}
