// The sheet with keys and gestures.

import { choice } from "/static/choice.js";

import { isForTable } from "./shortcuts.js";

/** Return a function that returns whether the keys of the page act. */
export function help() {
  const dialog = document.getElementById("help");
  const hasKeys = choice("page-keys");

  document.getElementById("help-open").addEventListener("click", () => dialog.showModal());
  document.getElementById("help-close").addEventListener("click", () => dialog.close());
  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && isForTable(event) && hasKeys()) dialog.showModal();
  });
  return hasKeys;
}
