// The apple's lever: the user pulls it back along its rail against a spring, and releases it.

import { byKeyboard, clicked, pressState } from "/static/press.js";
import { timedLineQueue } from "/static/timed_line_queue.js";

const TRAVEL = 220; // in units of the drawing
const BACK = 0.92; // counts as all the way back
const OPENS = 0.75; // where the contact opens on the way back
const RAIL = { x: 68, y: 428, coils: 9, rise: 8, rest: 74 };
const SPRING_MS = 260;

export function lever() {
  const knob = document.getElementById("lever");
  const spring = document.getElementById("spring");
  const act = timedLineQueue();
  const held = pressState(() => act("pull lever"), () => act("release lever"));
  let drag = null;
  let place = 0;
  let flight = 0;

  function put(now) {
    place = now;
    knob.setAttribute("transform", `translate(${now * TRAVEL} 0)`);
    const end = RAIL.rest + now * TRAVEL;
    const step = (end - RAIL.x) / RAIL.coils;
    const coils = Array.from({ length: RAIL.coils }, (_, i) => `L${RAIL.x + (i + 0.5) * step} ${RAIL.y + (i % 2 ? 1 : -1) * RAIL.rise}`);
    spring.setAttribute("d", `M${RAIL.x} ${RAIL.y}${coils.join("")}L${end} ${RAIL.y}`);
  }

  function fly(target) {
    cancelAnimationFrame(flight);
    const from = place;
    const begun = performance.now();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    function frame(now) {
      const gone = still ? 1 : Math.min(1, (now - begun) / SPRING_MS);
      put(from + (target - from) * (1 - (1 - gone) ** 3));
      if (gone < 1) flight = requestAnimationFrame(frame);
    }
    flight = requestAnimationFrame(frame);
  }

  knob.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    cancelAnimationFrame(flight);
    knob.setPointerCapture(event.pointerId);
    knob.classList.add("held");
    drag = { x: event.clientX, from: place, scale: knob.ownerSVGElement.getScreenCTM().a };
  });
  knob.addEventListener("pointermove", (event) => {
    if (!drag) return;
    put(Math.max(0, Math.min(1, drag.from + (event.clientX - drag.x) / drag.scale / TRAVEL)));
    if (place >= BACK) held.down();
    else if (place < OPENS) held.up();
  });
  knob.addEventListener("lostpointercapture", () => {
    drag = null;
    knob.classList.remove("held");
    held.up();
    fly(0);
  });
  // touch-action has no effect on a group of shapes: without this a touch scrolls the page
  knob.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  byKeyboard(knob, held);
  clicked(knob, () => act("pull lever", "release lever"));
  let isBack = false;
  put(0);

  return {
    /** Show the lever where the table has it: all the way back, or at rest. */
    show(now) {
      if (now === isBack) return;
      isBack = now;
      knob.setAttribute("aria-pressed", isBack);
      if (!drag) fly(isBack ? 1 : 0);
    },
  };
}
