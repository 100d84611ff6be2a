// A list of frames, the latest first. The user can hold it, so that new rows do not move the ones they read.

const MOST_KEPT = 2000;
const MOST_SHOWN = 200;

/** `row(item)` returns the row of an item, or null if it is filtered out. */
export function frameList(panel, row) {
  const list = panel.querySelector(".frames");
  const hold = panel.querySelector(".hold");
  const kept = [];
  let isShown = false;
  let isHeld = false;

  hold.addEventListener("click", () => {
    isHeld = !isHeld;
    hold.setAttribute("aria-pressed", isHeld);
    if (!isHeld) refresh();
  });

  function refresh() {
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
      for (const made of items.slice(-MOST_SHOWN).map(row)) if (made) list.prepend(made);
      while (list.children.length > MOST_SHOWN) list.lastChild.remove();
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
