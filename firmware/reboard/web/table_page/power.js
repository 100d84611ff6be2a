// The host's buttons that shut down and restart the machine, each with a second question.

import { showMessage } from "./element.js";
import { power as send, whyNot } from "./host_api.js";
import { text } from "./language.js";

const TEXTS = {
  power_off: { title: "powerOffTitle", text: "powerOffText", yes: "powerOffYes", done: "powerOffDone" },
  restart: { title: "restartTitle", text: "restartText", yes: "restartYes", done: "restartDone" },
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
    title.textContent = text(TEXTS[action].title);
    words.textContent = text(TEXTS[action].text);
    yes.textContent = text(TEXTS[action].yes);
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
    state.textContent = text(TEXTS[action].done);
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
