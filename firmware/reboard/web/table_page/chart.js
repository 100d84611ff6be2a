// Charts, drawn by the server. An image is requested again only when its chart changes.

import { spoken } from "/static/text.js";

const WIDTHS_PX = [720, 540, 360]; // letters keep their size, so a narrow chart is drawn differently
const HEIGHTS_PX = [360, 300, 270, 240, 210, 180];
const LETTERS_PX = 16; // the size of the page's letters for which the charts are drawn; on a TV they are larger
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
  let larger = 1;
  let room_px = 0;

  function load() {
    timer = 0;
    if (wanted === loaded) return;
    loaded = image.src = wanted;
    timer = setTimeout(load, GAP_MS);
  }

  function request() {
    if (state === null || !room_px) return;
    const zone = -new Date().getTimezoneOffset();
    const query = { lang: spoken(), width: fitting(WIDTHS_PX, room_px), zone, state: hash(JSON.stringify(state)) };
    if (document.body.dataset.view === "tv") query.height = fitting(HEIGHTS_PX, image.clientHeight / larger);
    wanted = `/api/chart/${name}.svg?${new URLSearchParams(query)}`;
    if (!timer) load();
  }

  image.addEventListener("error", () => {
    loaded = "";
    clearTimeout(timer);
    timer = setTimeout(load, RETRY_MS);
  });
  // measured only here: at another time the browser would have to lay out the page for it
  new ResizeObserver(([{ target }]) => {
    larger = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / LETTERS_PX;
    room_px = target.clientWidth / larger;
    request();
  }).observe(image.parentElement);

  return (now, alt = "") => {
    state = now;
    image.hidden = state === null;
    if (image.alt !== alt) image.alt = alt;
    request();
  };
}

function fitting(sizes, room) {
  return sizes.find((size) => size <= room) ?? sizes.at(-1);
}

/** A short name for a text. */
function hash(text) {
  let sum = 5381;
  for (const letter of text) sum = ((sum * 33) ^ letter.codePointAt(0)) >>> 0;
  return sum.toString(36);
}
