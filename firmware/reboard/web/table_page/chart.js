// Charts, drawn by the server. An image is requested again only when its chart changes.

import { spoken } from "./language.js";

const WIDE_PX = 560; // letters keep their size, so a narrow chart is drawn differently
const GAP_MS = 1000; // at most one new chart a second
const RETRY_MS = 5000;

/**
 * Return a function `(state, alt)` that keeps an image up to date. `state` is everything that the chart depends on;
 * `alt` describes it. With a state of null the image is hidden.
 */
export function chart(image, name) {
  let loaded = "";
  let wanted = "";
  let state = null;
  let timer = 0;

  function load() {
    timer = 0;
    if (wanted === loaded) return;
    loaded = image.src = wanted;
    timer = setTimeout(load, GAP_MS);
  }

  function request() {
    const room_px = image.parentElement.clientWidth;
    if (state === null || !room_px) return;
    const zone = -new Date().getTimezoneOffset();
    const query = { lang: spoken(), width: room_px < WIDE_PX ? 360 : 720, zone, state: hash(JSON.stringify(state)) };
    wanted = `/api/chart/${name}.svg?${new URLSearchParams(query)}`;
    if (!timer) load();
  }

  image.addEventListener("error", () => {
    loaded = "";
    clearTimeout(timer);
    timer = setTimeout(load, RETRY_MS);
  });
  new ResizeObserver(request).observe(image.parentElement);

  return (now, alt = "") => {
    state = now;
    image.hidden = state === null;
    if (image.alt !== alt) image.alt = alt;
    request();
  };
}

/** A short name for a text. */
function hash(text) {
  let sum = 5381;
  for (const letter of text) sum = ((sum * 33) ^ letter.codePointAt(0)) >>> 0;
  return sum.toString(36);
}
