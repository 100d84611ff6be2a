// Asks the bench for what has changed: a moment later, since changes come in crowds; one question at a time, so that no
// answer comes after a newer one; and some times more when the bench had no time for it. One that is gone is not asked
// again: whoever hears that it is back does that.

const SOON_MS = 150;
const PATIENCE_MS = 15_000; // the bench itself gives up after 10 s
const RETRY_MS = 1000; // twice as long each time
const MOST_RETRIES = 5;

/** `now()` and `soon()` ask at that address, and `take` is told each answer, until `rest()`. */
export function asking(address, take) {
  let isWanted = false;
  let isAsked = false;
  let hasChanged = false; // since it was asked
  let waiting = 0;
  let retrying = 0;
  let retries = 0;

  async function now() {
    rest();
    isWanted = true;
    if (isAsked) {
      hasChanged = true;
      return;
    }
    isAsked = true;
    hasChanged = false;
    const { told, isBusy } = await answer();
    isAsked = false;
    if (!isWanted) return;
    if (hasChanged) soon();
    else if (isBusy && retries < MOST_RETRIES) retrying = setTimeout(now, RETRY_MS * 2 ** retries++);
    if (!told) return;
    retries = 0;
    take(told);
  }

  async function answer() {
    const patience = new AbortController();
    const end = setTimeout(() => patience.abort(), PATIENCE_MS);
    try {
      const response = await fetch(address, { signal: patience.signal });
      return response.ok ? { told: await response.json() } : { isBusy: response.status >= 500 };
    } catch {
      return { isBusy: patience.signal.aborted };
    } finally {
      clearTimeout(end);
    }
  }

  function soon() {
    isWanted = true;
    retries = 0; // what is new is worth as many as what was before it
    waiting ||= setTimeout(now, SOON_MS);
  }

  function rest() {
    isWanted = false;
    clearTimeout(waiting);
    clearTimeout(retrying);
    waiting = 0;
  }

  return { now, soon, rest };
}
