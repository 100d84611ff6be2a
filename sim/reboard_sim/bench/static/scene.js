// The scene: what the table is made from. Asked for whenever it is another one, and set anew.

import { NO_ANSWER } from "./connection.js";

export const READERS = {
  rdm6300: "RDM6300",
  id12: "ID-12LA",
  pn532: "PN532 (NFC)",
  keyboard: "USB reader that types",
  bumps: "the game's own cards",
  none: "none",
};
const RETRY_MS = 2000;

/**
 * Set the table anew and do `lines` at it, until `signal` calls them off: null, or what went wrong: the `error`, with the
 * `line` if it is one, and with `is_set` when that is a line at the new table.
 */
export async function setScene(wish, lines, signal) {
  try {
    const answer = await fetch("/api/bench/scene", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...wish, lines }),
      signal,
    });
    return answer.ok ? null : await answer.json();
  } catch {
    return { error: NO_ANSWER };
  }
}

/** `changed(scene)` is told what is on the table, at first and whenever it is another one. */
export function scene(changed) {
  let there = "";

  async function learn(which) {
    const now = await sceneNow();
    if (which !== there) return; // another one meanwhile, which is asked for by itself
    if (now) changed(now);
    else setTimeout(learn, RETRY_MS, which);
  }

  return {
    hardware(looks) {
      const which = `${looks.scene} of ${looks.run}`; // each reboard-sim counts its own from 1
      if (which === there) return;
      there = which;
      void learn(which);
    },
  };
}

/** What is on the table; null when nobody answers. */
export async function sceneNow() {
  try {
    const answer = await fetch("/api/bench/scene");
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}
