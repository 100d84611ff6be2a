// Loads the same setup again, with an empty ledger, after the user has confirmed it.

import { text } from "/static/text.js";

import { confirmDialog } from "./confirm_dialog.js";
import { setScene } from "./scene.js";
import { linesOf } from "./setup_sheet.js";

export function startOver() {
  const button = document.getElementById("start-over");
  let now = null;
  const again = async (signal) => (await setScene(now, linesOf(now.switches), signal))?.error ?? "";
  const open = confirmDialog(document.getElementById("over"), text("Start over"), again);

  button.addEventListener("click", open);

  return {
    scene(loaded) {
      now = loaded;
      button.disabled = false;
    },
  };
}
