// The dialog in which the host undoes a transfer, with all transfers of its act.

import { element } from "/static/element.js";
import { text } from "/static/text.js";
import { capital } from "/static/words.js";

import { moved } from "./accounts.js";
import { openAfresh, sendFrom } from "./sending.js";

/** `act(request, arguments)` returns why it failed, or "". */
export function undoDialog(act) {
  const dialog = document.getElementById("undo-dialog");
  const list = document.getElementById("undo-transfers");
  const together = document.getElementById("undo-together");
  let transfer = null;

  dialog.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    void sendFrom(dialog, () => act("undo", { transfer }));
  });

  return {
    /** `transfers`: one transfer, or all of an act. */
    open(transfers, table) {
      transfer = transfers[0].id;
      list.replaceChildren(...transfers.map((one) => element("li", capital(moved(one, table)))));
      together.hidden = transfers.length < 2;
      together.textContent = text("They belong together, and are taken back together.");
      openAfresh(dialog);
    },
  };
}
