// Makes an element respond to press, hold and release: by mouse, by touch, and by Space or Enter.

const SHORTEST_MS = 80; // a click by software takes no time, but a matrix keypad needs some
const SETTLED_MS = 70; // a touch that rests this long presses; one that moves scrolls the page
const TREMOR_PX = 4; // a finger at rest moves this far

const releases = new Set();

window.addEventListener("blur", releaseAll);
window.addEventListener("pagehide", releaseAll);

/** Release everything that is held on this page. */
function releaseAll() {
  [...releases].forEach((release) => release());
}

/** The state of one key or pointer: `down()` calls `press`, and `up()` calls `release`, at the earliest after `SHORTEST_MS`. */
export function pressState(press, release) {
  let since = null;
  let timer = 0;
  function end() {
    clearTimeout(timer);
    releases.delete(end);
    since = null;
    release();
  }
  return {
    get isDown() {
      return since !== null;
    },
    down() {
      if (since !== null) return;
      since = performance.now();
      releases.add(end);
      press();
    },
    up() {
      if (since === null) return;
      clearTimeout(timer);
      const left = since + SHORTEST_MS - performance.now();
      if (left > 0) timer = setTimeout(end, left);
      else end();
    },
  };
}

/** Call `press` and `release` when the user presses and releases `element`, and `tap` when software clicks it. */
export function holdable(element, { press, release, tap }) {
  const held = pressState(press, release);
  let settling = 0;
  let rest = null;

  function wait(event) {
    rest = event;
    clearTimeout(settling);
    settling = setTimeout(settle, SETTLED_MS);
  }

  function settle() {
    if (!settling) return;
    clearTimeout(settling);
    settling = 0;
    held.down();
  }

  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") wait(event);
    else held.down();
  });
  element.addEventListener("pointermove", (event) => {
    if (settling && Math.hypot(event.clientX - rest.clientX, event.clientY - rest.clientY) > TREMOR_PX) wait(event);
  });
  element.addEventListener("pointerup", settle);
  element.addEventListener("lostpointercapture", () => {
    clearTimeout(settling);
    settling = 0;
    held.up();
  });
  // a touch that presses does not scroll
  element.addEventListener("touchmove", (event) => {
    if (held.isDown && event.cancelable) event.preventDefault();
  }, { passive: false });
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  byKeyboard(element, held);
  clicked(element, tap);
}

/** Call `tap` when `element` is clicked without a pointer: by assistive technology, or by the browser for a key. */
export function clicked(element, tap) {
  element.addEventListener("click", (event) => {
    if (event.detail === 0) tap();
  });
}

/** Press and release `held` with Space or Enter on `element`. */
export function byKeyboard(element, held) {
  const isPress = (event) => event.key === " " || event.key === "Enter";
  element.addEventListener("keydown", (event) => {
    if (!isPress(event)) return;
    event.preventDefault();
    if (!event.repeat) held.down();
  });
  element.addEventListener("keyup", (event) => {
    if (!isPress(event)) return;
    event.preventDefault();
    held.up();
  });
  element.addEventListener("blur", held.up);
}
