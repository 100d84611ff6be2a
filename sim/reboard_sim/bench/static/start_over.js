// The same scene once more, with an empty ledger: asked first, for it takes away what is there.

import { question } from "./question.js";
import { setScene } from "./scene.js";

export function startOver() {
  const button = document.getElementById("start-over");
  let now = null;
  const ask = question(document.getElementById("over"), "Start over", async () => (await setScene(now))?.error ?? "");

  button.addEventListener("click", ask);

  return {
    scene(is) {
      now = is;
      button.disabled = false;
    },
  };
}
