// Loads the same setup again, with an empty ledger, after the user has confirmed it.

import { question } from "./question.js";
import { setScene } from "./scene.js";

export function startOver() {
  const button = document.getElementById("start-over");
  let now = null;
  const again = async (signal) => (await setScene(now, [], signal))?.error ?? "";
  const ask = question(document.getElementById("over"), "Start over", again);

  button.addEventListener("click", ask);

  return {
    scene(is) {
      now = is;
      button.disabled = false;
    },
  };
}
