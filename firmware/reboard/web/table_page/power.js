// The host's buttons that shut down and restart the machine, each with a second question.

import { power as send } from "./host_api.js";
import { text } from "/static/text.js";

const TEXTS = {
  power_off: {
    title: text("Shut down the Raspberry Pi?"),
    words: text("The table and this page stop. The game is saved. To switch it on again, pull the plug and put it back in."),
    yes: text("Shut down"),
    done: text("The Raspberry Pi shuts down. Pull the plug when its green light stays off."),
  },
  restart: {
    title: text("Restart the Raspberry Pi?"),
    words: text("The table and this page stop, and are back after about a minute. The game is saved."),
    yes: text("Restart"),
    done: text("The Raspberry Pi restarts. This page connects again by itself."),
  },
};

/** `ask` is that of `question.js`. */
export function power(ask) {
  const row = document.getElementById("power");
  const state = document.getElementById("power-state");

  row.addEventListener("click", ({ target }) => {
    const { power: action } = target.dataset;
    if (!action) return;
    ask({
      ...TEXTS[action],
      run: () => send(action),
      done() {
        row.hidden = true;
        state.textContent = TEXTS[action].done;
      },
    });
  });

  return {
    /** Show the buttons of the actions that the machine permits. */
    show(actions) {
      row.hidden = actions.length === 0;
      for (const button of row.children) button.hidden = !actions.includes(button.dataset.power);
      state.textContent = "";
    },
  };
}
