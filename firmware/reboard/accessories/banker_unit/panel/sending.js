// What the host's dialogs have in common, and what players' requests have.

import { showMessage } from "/static/element.js";
import { whyNot } from "/static/host_api.js";
import { text, wait } from "/static/text.js";

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

/** Why a request of a player failed, or "". */
export function whyNotAsked(answer) {
  if (answer?.ok) return "";
  if (answer?.status === 403) return text("The host takes no requests from this phone.");
  if (answer?.status !== 429) return whyNot(answer);
  const time = wait(answer.body);
  return answer.body?.why === "wrong code"
    ? text("Too many wrong codes. Wait {time}. Then check the code, and type it again.", { time })
    : text("Too many requests. Try again in {time}.", { time });
}
