// A deed that takes its time: one after the other, and whoever does not want to wait for it leaves it.

/** What is done for `element`, which is busy meanwhile. */
export function deed(element) {
  let doing = null;

  function forget() {
    doing = null;
    element.removeAttribute("aria-busy");
  }

  return {
    /** Have `does(signal)` done, and `then` told what came of it; unless something is being done, or this is left. */
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

    /** Let what is being done go on, and hear no more of it. */
    forget,

    /** Call off what is being done. */
    leave() {
      doing?.abort();
      forget();
    },
  };
}
