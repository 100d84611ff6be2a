// The dialog that asks the host again before an act that others would notice at once.

import { showMessage } from "./element.js";
import { whyNot } from "./host_api.js";

/**
 * Ask with a `title` and `words`. The button `yes` runs `run()`, which returns the answer of the table, and then `done()` if it
 * was carried out.
 */
export function question() {
  const dialog = document.getElementById("question-dialog");
  const yes = document.getElementById("question-yes");
  const problem = document.getElementById("question-problem");
  let asked = null;

  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    yes.disabled = true; // a double tap is one request
    const answer = await asked.run();
    yes.disabled = false;
    showMessage(problem, answer?.ok ? "" : whyNot(answer));
    if (!answer?.ok) return;
    dialog.close();
    asked.done();
  });

  return (what) => {
    asked = what;
    document.getElementById("question-title").textContent = what.title;
    document.getElementById("question-text").textContent = what.words;
    yes.textContent = what.yes;
    showMessage(problem, "");
    dialog.showModal();
  };
}
