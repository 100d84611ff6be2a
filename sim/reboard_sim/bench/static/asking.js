// Asks the bench for what has changed: a moment later, since changes come in crowds; one question at a time, so that no
// answer comes after a newer one; and once more when the bench had no time for it. One that is gone is not asked again:
// whoever hears that it is back does that.

const SOON_MS = 150;
const RETRY_MS = 1000;

/** `now()` and `soon()` ask at that address, and `take` is told each answer, until `end()`. */
export function asking(address, take) {
  let waiting = 0;
  let isAsked = false;
  let hasChanged = false;
  let hasEnded = false;

  async function now() {
    clearTimeout(waiting);
    waiting = 0;
    if (isAsked) {
      hasChanged = true;
      return;
    }
    isAsked = true;
    hasChanged = false;
    const [status, told] = await answer();
    isAsked = false;
    if (hasEnded) return;
    if (told) take(told);
    if (hasChanged) soon();
    else if (status && !told) waiting ||= setTimeout(now, RETRY_MS);
  }

  async function answer() {
    try {
      const response = await fetch(address);
      return [response.status, response.ok ? await response.json() : null];
    } catch {
      return [];
    }
  }

  function soon() {
    waiting ||= setTimeout(now, SOON_MS);
  }

  function end() {
    hasEnded = true;
    clearTimeout(waiting);
  }

  return { now, soon, end };
}
