// What only the host may ask for, over HTTP.

/** Whether there is a PIN at all, and whether this browser is the host: `{enabled, host}`; null when nobody answers. */
export async function standing() {
  const answer = await ask("GET", "/api/host");
  return answer?.ok ? answer.told : null;
}

/** Enter a PIN: `{status, told}`, null when nobody answers. */
export function enter(pin) {
  return ask("POST", "/api/host/session", { pin });
}

/** Be the host no longer. */
export function leave() {
  return ask("DELETE", "/api/host/session");
}

/** Have the table do something: `{ok, status, told}`, null when nobody answers. */
export function request(what, args = {}) {
  return ask("POST", "/api/host/do", { do: what, ...args });
}

async function ask(method, path, body) {
  try {
    const answer = await fetch(path, {
      method,
      headers: body ? { "Content-Type": "application/json" } : {},
      body: body && JSON.stringify(body),
    });
    const told = await answer.json().catch(() => null);
    return { ok: answer.ok, status: answer.status, told };
  } catch {
    return null;
  }
}
