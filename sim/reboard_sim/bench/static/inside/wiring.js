// The table's wiring drawing beside the logic analyser: the net of each pin has the colour of its level.

import { text } from "/static/text.js";

const KEY = "reboard-wiring";
const ZOOM = 1.5;
const MOST_ZOOM = 6;

/** Fill the figure in `panel`, which a button in its toolbar shows and hides. */
export function wiring(panel) {
  const figure = panel.querySelector(".wiring");
  const sheet = figure.querySelector(".wiring-sheet");
  const button = document.createElement("button");
  const levels = new Map();
  let svg = null;
  let isLoaded = false;
  let chosen = null;
  let zoom = 1;

  button.type = "button";
  button.className = "tool wiring-open";
  button.textContent = text("Wiring");
  button.title = text("Show the wiring drawing, with each net in the colour of its level");
  panel.querySelector(".tools .readout").before(button);

  async function load() {
    isLoaded = true;
    svg = null;
    const drawn = await drawing();
    svg = drawn.svg ?? null;
    sheet.replaceChildren(svg ?? drawn.problem);
    if (!svg) return;
    for (const [pin, level] of levels) paint(pin, level);
    resize(1);
    choose(chosen);
  }

  function paint(pin, level) {
    if (level === "unknown") svg.style.removeProperty(`--GPIO${pin}`);
    else svg.style.setProperty(`--GPIO${pin}`, `var(--net-${level})`);
  }

  function choose(pin) {
    chosen = pin;
    if (!svg) return;
    for (const before of svg.querySelectorAll(".chosen")) before.classList.remove("chosen");
    const net = [...svg.querySelectorAll(`[stroke^="var(--GPIO${pin},"]`)];
    for (const part of net) part.classList.add("chosen");
    if (!net.length) return;
    const [place, view] = [net.at(-1).getBoundingClientRect(), sheet.getBoundingClientRect()];
    sheet.scrollBy(place.x + place.width / 2 - view.x - view.width / 2, place.y + place.height / 2 - view.y - view.height / 2);
  }

  function resize(to) {
    const { scrollWidth, scrollHeight, scrollLeft, scrollTop, clientWidth, clientHeight } = sheet;
    const middle = [(scrollLeft + clientWidth / 2) / scrollWidth, (scrollTop + clientHeight / 2) / scrollHeight];
    zoom = Math.min(MOST_ZOOM, Math.max(1, to));
    if (svg) svg.style.width = `${zoom * 100}%`;
    sheet.scrollTo(middle[0] * sheet.scrollWidth - clientWidth / 2, middle[1] * sheet.scrollHeight - clientHeight / 2);
  }

  function show(isOpen) {
    figure.hidden = !isOpen;
    panel.classList.toggle("with-wiring", isOpen);
    button.setAttribute("aria-pressed", isOpen);
    if (isOpen && !isLoaded) void load();
  }

  button.addEventListener("click", () => {
    show(figure.hidden);
    localStorage.setItem(KEY, figure.hidden ? "" : "open");
  });
  for (const [name, to] of [["in", () => zoom * ZOOM], ["out", () => zoom / ZOOM], ["fit", () => 1]]) {
    figure.querySelector(`.${name}`).addEventListener("click", () => resize(to()));
  }
  show(Boolean(localStorage.getItem(KEY)));

  return {
    choose,
    /** Draw the wiring of another table. */
    reload() {
      isLoaded = false;
      levels.clear();
      if (!figure.hidden) void load();
    },
    /** Set the level of a GPIO: "low", "high", "pulsed" or "unknown". */
    level(pin, level) {
      if (levels.get(pin) === level) return;
      levels.set(pin, level);
      if (svg) paint(pin, level);
    },
  };
}

/** Return the drawing as `svg`, or the `problem`. */
async function drawing() {
  try {
    const answer = await fetch("api/bench/wiring.svg");
    if (!answer.ok) return { problem: (await answer.json()).error };
    const svg = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
    for (const size of ["width", "height"]) svg.removeAttribute(size);
    // the flag of a known level is filled, too
    for (const flag of svg.querySelectorAll('polygon[stroke^="var(--GPIO"]')) {
      flag.setAttribute("fill", flag.getAttribute("stroke").replace(/,.*\)/, ", none)"));
    }
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", text("Wiring of this table"));
    return { svg: document.importNode(svg, true) };
  } catch {
    return { problem: text("The drawing could not be loaded. Reload this page.") };
  }
}
