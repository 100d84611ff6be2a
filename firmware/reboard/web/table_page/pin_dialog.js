// The dialog that asks for the host's PIN.

import { showMessage } from "./element.js";
import { signIn, whyNot } from "./host_api.js";
import { text, wait } from "/static/text.js";

/** `onSignedIn()` is called after the right PIN. */
export function pinDialog(onSignedIn) {
  const dialog = document.getElementById("pin-dialog");
  const pin = document.getElementById("pin");
  const button = dialog.querySelector("[type=submit]");
  const problem = document.getElementById("pin-problem");

  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const guess = pin.value;
    pin.value = "";
    button.disabled = true; // a second tap would count as a guess
    const answer = await signIn(guess);
    button.disabled = false;
    if (answer?.ok) {
      dialog.close();
      onSignedIn();
      return;
    }
    showMessage(problem, whyNotIn(answer));
    pin.focus();
  });

  return {
    open(message = "") {
      pin.value = "";
      showMessage(problem, message);
      if (!dialog.open) dialog.showModal();
    },
  };
}

function whyNotIn(answer) {
  if (answer?.status === 429) return text("Too many wrong PINs. Try again in {time}.", { time: wait(answer.body) });
  return answer?.status === 403 ? text("Wrong PIN.") : whyNot(answer);
}
