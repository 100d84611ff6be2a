// Makes an element respond to press, hold and release: by mouse, by touch, and by Space or Enter.

const SHORTEST_MS = 80; // a tap by software takes no time; a finger does, and matrix keypads rely on it
const SETTLED_MS = 70; // a finger that rests for so long presses; one that moves on is about to scroll the page
const TREMOR_PX = 4; // no finger rests quite still

const releases = new Set();

window.addEventListener("blur", releaseAll);
window.addEventListener("pagehide", releaseAll);

/** Let go of everything that is held on this page. */
function releaseAll() {
  [...releases].forEach((release) => release());
}

/** What is held by one thing, such as a finger or a key: once at a time, and for no shorter than a finger can. */
export function grip(press, release) {
  let since = null;
  let timer = 0;
  function open() {
    clearTimeout(timer);
    releases.delete(open);
    since = null;
    release();
  }
  return {
    get closed() {
      return since !== null;
    },
    close() {
      if (since !== null) return;
      since = performance.now();
      releases.add(open);
      press();
    },
    open() {
      if (since === null) return;
      clearTimeout(timer);
      const left = since + SHORTEST_MS - performance.now();
      if (left > 0) timer = setTimeout(open, left);
      else open();
    },
  };
}

/** Call `press` and `release` as `element` is worked, and `tap` when something without fingers clicks it. */
export function holdable(element, { press, release, tap }) {
  const held = grip(press, release);
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
    held.close();
  }

  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") wait(event);
    else held.close();
  });
  element.addEventListener("pointermove", (event) => {
    if (settling && Math.hypot(event.clientX - rest.clientX, event.clientY - rest.clientY) > TREMOR_PX) wait(event);
  });
  element.addEventListener("pointerup", settle);
  element.addEventListener("lostpointercapture", () => {
    clearTimeout(settling);
    settling = 0;
    held.open();
  });
  // once it presses, a finger does not scroll any more
  element.addEventListener("touchmove", (event) => {
    if (held.closed && event.cancelable) event.preventDefault();
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

/** Close and open `held` with Space or Enter on `element`. */
export function byKeyboard(element, held) {
  const isPress = (event) => event.key === " " || event.key === "Enter";
  element.addEventListener("keydown", (event) => {
    if (!isPress(event)) return;
    event.preventDefault();
    if (!event.repeat) held.close();
  });
  element.addEventListener("keyup", (event) => {
    if (!isPress(event)) return;
    event.preventDefault();
    held.open();
  });
  element.addEventListener("blur", held.open);
}
