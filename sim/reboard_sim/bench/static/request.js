// Requests to the bench. The page shows those that are not answered soon.

const LATE_MS = 2000;

const late = new Set();
let changed = () => {};

/** Call `listener(what)` when a request becomes late or is answered: with what the latest late one asks for, or null. */
export function watchLateRequests(listener) {
  changed = listener;
}

/** Fetch `address`. `what` names the request for the user, and `takes_s` is the time that it needs at the table. */
export async function request(address, { what, takes_s = 0, ...options }) {
  const mine = { what };
  const timer = setTimeout(() => {
    late.add(mine);
    show();
  }, LATE_MS + takes_s * 1000);
  try {
    return await fetch(address, options);
  } finally {
    clearTimeout(timer);
    if (late.delete(mine)) show();
  }
}

function show() {
  changed([...late].at(-1)?.what ?? null);
}

/** The options of a POST request with this JSON. */
export function posted(body) {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}
