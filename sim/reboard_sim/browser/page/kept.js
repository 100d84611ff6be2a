// What this browser keeps of the table from visit to visit: one record in its database. Only one window at a time has it.

const FORMAT = 1;
const STORE = "table";
const LOCK_MS = 5000; // the worker of a page that was left may still have it; Python loads meanwhile

/**
 * Return what the browser keeps under this `name`: the `record` of the last visit ({ setup, files }, or null), and a function that keeps another. `notice(name)` is
 * called with what the user must know: "elsewhere", "damaged" or "unkept".
 */
export async function openKept(name, notice) {
  if (!(await isOurs(name))) {
    notice("elsewhere");
    return { record: null, async keep() {} };
  }
  try {
    const database = await opened(name);
    const record = await done(database.transaction(STORE).objectStore(STORE).get(STORE));
    const isGood = !record || (record.format === FORMAT && typeof record.setup === "string" && record.files instanceof Map);
    if (!isGood) notice("damaged");
    return { record: (isGood && record) || null, keep: keeper(database, notice) };
  } catch {
    notice("unkept");
    return { record: null, async keep() {} };
  }
}

/** Whether no other window has the table. If so, this one has it until it is closed. */
function isOurs(name) {
  return new Promise((resolve) => {
    if (!navigator.locks) resolve(true);
    navigator.locks?.request(name, { signal: AbortSignal.timeout(LOCK_MS) }, () => {
      resolve(true);
      return new Promise(() => {});
    }).catch(() => resolve(false));
  });
}

function opened(name) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return done(request);
}

function keeper(database, notice) {
  let isKept = true;
  return async (record) => {
    try {
      const transaction = database.transaction(STORE, "readwrite");
      transaction.objectStore(STORE).put({ format: FORMAT, ...record }, STORE);
      await committed(transaction);
      isKept = true;
    } catch {
      if (isKept) notice("unkept"); // for example: the disk is full
      isKept = false;
    }
  };
}

function committed(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
}
