// The splitter between the table and "Inside". The browser remembers where the user left it.

const KEY = "reboard.inside";
const LEAST = 20; // percent of the space for both
const MOST = 75;
const USUAL = 42;
const STEP = 4;

export function splitter(sheet) {
  const bar = sheet.querySelector(".splitter");
  const desk = sheet.parentElement;

  function put(percent) {
    const height = Math.round(Math.max(LEAST, Math.min(MOST, percent || USUAL)));
    desk.style.setProperty("--inside", `${height}%`);
    bar.setAttribute("aria-valuenow", height);
    return height;
  }

  function keep(percent) {
    const height = put(percent);
    try {
      localStorage.setItem(KEY, height);
    } catch {
      // the browser keeps nothing: the height holds until the page is closed
    }
  }

  function kept() {
    try {
      return Number(localStorage.getItem(KEY));
    } catch {
      return USUAL;
    }
  }

  bar.addEventListener("pointerdown", (event) => {
    if (event.button === 0) bar.setPointerCapture(event.pointerId);
  });
  bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const { bottom, height } = desk.getBoundingClientRect();
    keep(((bottom - event.clientY) / height) * 100);
  });
  bar.addEventListener("dblclick", () => keep(USUAL));
  bar.addEventListener("keydown", (event) => {
    const now = Number(bar.getAttribute("aria-valuenow"));
    const to = { ArrowUp: now + STEP, ArrowDown: now - STEP, Home: LEAST, End: MOST, Enter: USUAL }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    keep(to);
  });
  put(kept());
}
