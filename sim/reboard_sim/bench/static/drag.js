// Dragging by mouse or touch: an image follows the pointer until it is dropped on a target.

import { clicked } from "./press.js";

const DRAG_PX = 7;
const REACH_PX = 28; // a finger covers the target

/**
 * Make `element` draggable onto the nearest of `targets.all`: anywhere in the element `targets.area`, or near it outside
 * `targets.home`. `targets.mark(target | null)` marks that target.
 *
 * `ghost()` returns the image that follows the pointer (null: nothing to drag). At the end, `dropped(target | null)` is
 * called, or `tapped()` if the pointer did not move. The browser's click is not used: it is missing after a fast drag.
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
    const isFar = Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > DRAG_PX;
    if (!follower && isFar) lift();
    if (follower) move(event);
  });
  element.addEventListener("pointerup", (event) => {
    const dragged = follower !== null;
    const pressed = start !== null;
    end();
    if (dragged) dropped(targetAt(event, targets));
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
    targets.mark(targetAt(event, targets));
  }

  function end() {
    follower?.remove();
    follower = null;
    start = null;
    element.classList.remove("lifted");
    targets.mark(null);
  }
}

function targetAt({ clientX: x, clientY: y }, { all, area, home }) {
  const distance = (element) => {
    const box = element.getBoundingClientRect();
    return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
  };
  const [nearest = null] = all.toSorted((one, other) => distance(one) - distance(other));
  if (distance(area) === 0) return nearest;
  return nearest && distance(home) > 0 && distance(nearest) < REACH_PX ? nearest : null;
}
