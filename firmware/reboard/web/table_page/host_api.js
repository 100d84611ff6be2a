// The HTTP requests of the host and of players. Each returns `{ ok, status, body }`, or null if the server does not answer.

import { textOf } from "/static/text.js";
import { capital, rejection } from "/static/words.js";

import { text } from "/static/text.js";

const RETRIES_MS = [1000, 3000];

/** Ask whether this browser may become the host, whether it needs a PIN, and whether it is: `{ enabled, needs_pin, host }`. */
export function hostStatus() {
  return send("GET", "/api/host");
}

/** Become the host with the PIN, or without one if the table needs none. */
export function signIn(pin) {
  return send("POST", "/api/host/session", pin ? { pin } : {});
}

export function signOut() {
  return send("DELETE", "/api/host/session");
}

export function request(name, args = {}) {
  return send("POST", "/api/host/do", { do: name, ...args });
}

/** Read the answer to a request that changes nothing. */
export function read(name) {
  return send("GET", `/api/host/read/${name}`);
}

/** Shut down ("power_off") or restart ("restart") the machine. */
export function power(action) {
  return send("POST", "/api/host/power", { do: action });
}

/** Make a backup file of the table, which is the `body` of the answer. */
export function backup() {
  return send("GET", "/api/host/backup", null, "blob");
}

/** Ask from which phone each request of a player came that waits, and which phones are blocked: `{ waiting, blocked }`. */
export function phones() {
  return send("GET", "/api/host/phones");
}

/** Block a phone by its name, and reject its requests that wait, or allow it again. */
export function block(phone, blocked) {
  return send("POST", "/api/host/phones", { phone, blocked });
}

/** Send a request of a player, which needs no PIN. */
export function ask(name, args = {}) {
  return send("POST", "/api/ask", { do: name, ...args });
}

/** Send a request again after a lost answer. It must be one that can be repeated, such as a payment with its id. */
export async function untilAnswered(send) {
  let answer = await send();
  for (const pause of RETRIES_MS) {
    if (answer && answer.status !== 503) break;
    await new Promise((done) => setTimeout(done, pause));
    answer = await send();
  }
  return answer;
}

/** Why a request failed, in the language of the page. A cause that only a repair needs stays English. */
export function whyNot(answer) {
  if (answer === null || answer.status === 503) return text("No answer. When the connection is back, the page shows whether your request was carried out.");
  if (answer.status === 401) return text("You are no longer the host. Enter the PIN again.");
  return capital(rejection(answer.body?.why, answer.body?.error) ?? textOf("why a request failed", "{why}", { why: answer.body?.error ?? `HTTP ${answer.status}` }));
}

async function send(method, path, body, form = "json") {
  try {
    const answer = await fetch(path, {
      method,
      headers: body ? { "Content-Type": "application/json" } : {},
      body: body && JSON.stringify(body),
    });
    return { ok: answer.ok, status: answer.status, body: await answer[answer.ok ? form : "json"]().catch(() => null) };
  } catch {
    return null;
  }
}
