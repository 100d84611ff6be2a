// Work that takes time and can be cancelled, one task at a time.

/** Tasks of `element`, which is marked as busy meanwhile. */
export function cancellableTask(element) {
  let running = null;

  function forget() {
    running = null;
    element.removeAttribute("aria-busy");
  }

  return {
    /** Run `work(signal)` and pass the result to `then`, unless another task runs or this one is cancelled. */
    async run(work, then) {
      if (running) return;
      const abort = new AbortController();
      running = abort;
      element.setAttribute("aria-busy", "true");
      try {
        const result = await work(abort.signal);
        if (running === abort) then(result);
      } finally {
        if (running === abort) forget();
      }
    },

    /** Let the running task finish, but ignore its result. */
    forget,

    /** Cancel the running task. */
    cancel() {
      running?.abort();
      forget();
    },
  };
}
