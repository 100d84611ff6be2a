// Dragging by mouse or finger: a ghost follows, and whatever it is let go over is told.

import { clicked } from "./held.js";

const FAR_ENOUGH_PX = 7;
const REACH_PX = 28; // a finger hides what it aims at

/**
 * Make `element` draggable onto `targets.all`; `targets.mark(target | null)` shows where it would land.
 * `ghost()` draws what follows the pointer (null: nothing to drag), `dropped(target | null)` ends it; what was not
 * dragged was `tapped()`. A browser's own click is not waited for: it leaves out the one that follows a swift drag.
 */
export function draggable(element, targets, { ghost, dropped, tapped }) {
  let start = null;
  let follower = null;

  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    start = event;
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (!start) return;
    const far = Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > FAR_ENOUGH_PX;
    if (!follower && far) lift();
    if (follower) move(event);
  });
  element.addEventListener("pointerup", (event) => {
    const dragged = follower !== null;
    const pressed = start !== null;
    end();
    if (dragged) dropped(over(event, targets.all));
    else if (pressed) tapped();
  });
  clicked(element, tapped);
  element.addEventListener("lostpointercapture", end);
  element.addEventListener("dragstart", (event) => event.preventDefault());

  function lift() {
    const drawn = ghost();
    if (!drawn) return;
    element.classList.add("lifted");
    follower = document.createElement("div");
    follower.className = "ghost";
    follower.append(drawn);
    document.body.append(follower);
  }

  function move(event) {
    const box = follower.getBoundingClientRect();
    follower.style.transform = `translate(${event.clientX - box.width / 2}px, ${event.clientY - box.height / 2}px)`;
    targets.mark(over(event, targets.all));
  }

  function end() {
    follower?.remove();
    follower = null;
    start = null;
    element.classList.remove("lifted");
    targets.mark(null);
  }
}

/** The target under the pointer or within reach of it. */
function over({ clientX: x, clientY: y }, targets) {
  return targets.find((target) => {
    const box = target.getBoundingClientRect();
    return x > box.left - REACH_PX && x < box.right + REACH_PX && y > box.top - REACH_PX && y < box.bottom + REACH_PX;
  }) ?? null;
}
