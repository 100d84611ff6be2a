// Work that takes time and can be cancelled: one at a time.

/** Work for `element`, which is busy meanwhile. */
export function deed(element) {
  let doing = null;

  function forget() {
    doing = null;
    element.removeAttribute("aria-busy");
  }

  return {
    /** Do `does(signal)` and pass the result to `then`, unless other work is in progress or this is cancelled. */
    async begin(does, then) {
      if (doing) return;
      const mine = new AbortController();
      doing = mine;
      element.setAttribute("aria-busy", "true");
      try {
        const came = await does(mine.signal);
        if (doing === mine) then(came);
      } finally {
        if (doing === mine) forget();
      }
    },

    /** Ignore the result of the work in progress. */
    forget,

    /** Cancel the work in progress. */
    leave() {
      doing?.abort();
      forget();
    },
  };
}
