// What the host's dialogs have in common.

import { showMessage } from "/static/element.js";

/** Send a request from a dialog. `send()` returns why it failed, or "": then the dialog closes. */
export async function sendFrom(dialog, send) {
  const buttons = [...dialog.querySelectorAll("button:enabled")];
  const stay = (event) => event.preventDefault();
  for (const button of buttons) button.disabled = true; // a double tap is one request, and none on its way is cancelled
  dialog.addEventListener("cancel", stay);
  const why = await send();
  dialog.removeEventListener("cancel", stay);
  for (const button of buttons) button.disabled = false;
  showMessage(dialog.querySelector(".refusal"), why);
  if (!why) dialog.close();
}

/** Open a dialog without the messages of its last use. */
export function openAfresh(dialog) {
  showMessage(dialog.querySelector(".refusal"), "");
  dialog.showModal();
}
