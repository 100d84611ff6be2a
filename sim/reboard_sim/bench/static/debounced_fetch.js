// Fetches JSON a moment after the last change, one request at a time, so that an old answer never follows a newer one. It
// tries again some times if the bench is busy. It does not try again if the bench is gone: a new connection does that.

import { text } from "/static/text.js";

import { request as send } from "./request.js";

const DELAY_MS = 150;
const TIMEOUT_MS = 15_000; // the bench itself gives up after 10 s
const RETRY_MS = 1000; // doubles with each retry
const MOST_RETRIES = 5;

/** `now()` and `soon()` fetch the address and pass the answer to `onAnswer`, until `stop()`. */
export function debouncedFetch(address, onAnswer) {
  let isActive = false;
  let isFetching = false;
  let isOutdated = false; // a change came during the request
  let delayed = 0;
  let retrying = 0;
  let retries = 0;

  async function now() {
    stop();
    isActive = true;
    if (isFetching) {
      isOutdated = true;
      return;
    }
    isFetching = true;
    isOutdated = false;
    const { answer, isBusy } = await request();
    isFetching = false;
    if (!isActive) return;
    if (isOutdated) soon();
    else if (isBusy && retries < MOST_RETRIES) retrying = setTimeout(now, RETRY_MS * 2 ** retries++);
    if (!answer) return;
    retries = 0;
    onAnswer(answer);
  }

  async function request() {
    const abort = new AbortController();
    const timeout = setTimeout(() => abort.abort(), TIMEOUT_MS);
    try {
      const response = await send(address, { what: text("the table"), signal: abort.signal });
      return response.ok ? { answer: await response.json() } : { isBusy: response.status >= 500 };
    } catch {
      return { isBusy: abort.signal.aborted };
    } finally {
      clearTimeout(timeout);
    }
  }

  function soon() {
    isActive = true;
    retries = 0; // each change gets its own retries
    delayed ||= setTimeout(now, DELAY_MS);
  }

  function stop() {
    isActive = false;
    clearTimeout(delayed);
    clearTimeout(retrying);
    delayed = 0;
  }

  return { now, soon, stop };
}
