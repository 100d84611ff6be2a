// The host's buttons that shut down and restart the machine, each with a second question.

import { showMessage } from "./element.js";
import { power as send, whyNot } from "./host_api.js";
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

export function power() {
  const row = document.getElementById("power");
  const dialog = document.getElementById("power-dialog");
  const title = document.getElementById("power-title");
  const words = document.getElementById("power-text");
  const yes = document.getElementById("power-yes");
  const problem = document.getElementById("power-problem");
  const state = document.getElementById("power-state");
  let action = "";

  row.addEventListener("click", ({ target }) => {
    if (!target.dataset.power) return;
    action = target.dataset.power;
    title.textContent = TEXTS[action].title;
    words.textContent = TEXTS[action].words;
    yes.textContent = TEXTS[action].yes;
    showMessage(problem, "");
    dialog.showModal();
  });
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    yes.disabled = true;
    const answer = await send(action);
    yes.disabled = false;
    showMessage(problem, answer?.ok ? "" : whyNot(answer));
    if (!answer?.ok) return;
    dialog.close();
    row.hidden = true;
    state.textContent = TEXTS[action].done;
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
