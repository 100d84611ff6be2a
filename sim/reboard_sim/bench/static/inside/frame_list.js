// A list of frames, the latest first. The user can hold it, so that new rows do not move the ones they read.

const MOST_KEPT = 2000;
const MOST_SHOWN = 200;
const MOST_A_FRAME = 25; // a fast table has thousands of rows a second

/** `row(item)` returns the row of an item, or null if it is filtered out. */
export function frameList(panel, row) {
  const list = panel.querySelector(".frames");
  const hold = panel.querySelector(".hold");
  const kept = [];
  const waiting = []; // for the next frame
  let isShown = false;
  let isHeld = false;
  let drawing = 0;

  hold.addEventListener("click", () => {
    isHeld = !isHeld;
    hold.setAttribute("aria-pressed", isHeld);
    refresh();
  });

  function draw() {
    const taken = waiting.splice(0, MOST_A_FRAME);
    drawing = waiting.length ? requestAnimationFrame(draw) : 0;
    list.prepend(...taken.map(row).filter(Boolean).reverse());
    while (list.children.length > MOST_SHOWN) list.lastChild.remove();
  }

  function refresh() {
    waiting.length = 0;
    if (!isShown || isHeld) return;
    const made = [];
    for (let n = kept.length - 1; n >= 0 && made.length < MOST_SHOWN; n -= 1) {
      const item = row(kept[n]);
      if (item) made.push(item);
    }
    list.replaceChildren(...made);
  }

  return {
    kept,
    refresh,
    isHeld: () => isHeld,
    clear() {
      kept.length = 0;
      refresh();
    },
    add(items) {
      if (!items.length) return;
      kept.push(...items);
      kept.splice(0, kept.length - MOST_KEPT);
      if (!isShown || isHeld) return;
      waiting.push(...items.slice(-MOST_SHOWN));
      waiting.splice(0, waiting.length - MOST_SHOWN);
      drawing ||= requestAnimationFrame(draw);
    },
    show(now) {
      isShown = now;
      refresh();
    },
  };
}

/** Create an element with this class and content. */
export function element(name, kind, ...content) {
  const made = document.createElement(name);
  made.className = kind;
  made.append(...content);
  return made;
}
