// The setup of the table: edition, wiring, readers, seed, and its switches.

import { firstState } from "/static/page_data.js";
import { spoken, text } from "/static/text.js";

import { NO_ANSWER } from "./connection.js";
import { posted, request } from "./request.js";

const RETRY_MS = 2000;

/**
 * Load a setup and carry out `lines`, until `signal` cancels them. Returns null, or what went wrong: the `error`, with the
 * number of the `line`, if it is about one, and with `is_set` if that is a line at the new table.
 */
export async function setScene(setup, lines, signal) {
  try {
    const answer = await request("api/bench/scene", { ...posted({ ...setup, lines }), what: text("the setup"), signal });
    return answer.ok ? null : await answer.json();
  } catch {
    return { error: NO_ANSWER };
  }
}

const named = ({ run, number, changes }) => `${number} of ${run}, ${changes}`; // each reboard-sim counts its own from 1

/** Call `changed(scene)` with the first setup and after each change. */
export function scene(changed) {
  const { scene: first } = firstState();
  let loaded = "";

  async function load(which) {
    const now = first && named(first) === which ? first : await sceneNow();
    if (which !== loaded) return; // another setup was loaded meanwhile, or changed
    if (now) changed(now);
    else setTimeout(load, RETRY_MS, which);
  }

  return {
    hardware(state) {
      const which = named({ ...state, number: state.scene });
      if (which === loaded) return;
      loaded = which;
      void load(which);
    },
  };
}

/** Return the setup of the table; null if the bench does not answer. */
export async function sceneNow() {
  try {
    const answer = await request(`api/bench/scene?lang=${spoken()}`, { what: text("the setup") });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}
