// The sheet with keys and gestures.

import { isForTable } from "./shortcuts.js";

export function help() {
  const dialog = document.getElementById("help");

  document.getElementById("help-open").addEventListener("click", () => dialog.showModal());
  document.getElementById("help-close").addEventListener("click", () => dialog.close());
  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && isForTable(event)) dialog.showModal();
  });
}
