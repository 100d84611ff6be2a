// The host's controls of the game: undo, new game, end game.

import { text, titleOf } from "/static/language.js";

import { holder, money, undoneTransfers, withCurrency } from "./accounts.js";
import { endGameDialog } from "./end_game_dialog.js";

const SETTLED_MS = 1000;
const FINAL = new Set(["start", "undo"]); // transfers that cannot be undone

/** `act(request, arguments)` returns why it failed, or "". */
export function gameControls(act) {
  const undo = document.getElementById("undo");
  const dialog = document.getElementById("new-game-dialog");
  const editions = document.getElementById("editions");
  const endGame = endGameDialog(act);
  let table = {};
  let gameToEnd = null;
  let settled = 0;

  /** Offer the last transfer. A button that has just changed does nothing for a moment: a finger may be on its way. */
  function offerUndo(last) {
    const id = String(last?.id ?? "");
    if (id !== undo.dataset.transfer) {
      undo.dataset.transfer = id;
      undo.disabled = true;
      clearTimeout(settled);
      settled = setTimeout(() => { undo.disabled = !undo.dataset.transfer; }, SETTLED_MS);
    }
    undo.textContent = last
      ? text("undo", {
          amount: withCurrency(money(last.amount, table), table),
          payer: holder(last.from, table, "from"),
          receiver: holder(last.to, table, "to"),
        })
      : text("nothingToUndo");
  }

  undo.addEventListener("click", async () => {
    undo.disabled = true; // a second tap would do nothing good
    if (await act("undo", { transfer: Number(undo.dataset.transfer) })) undo.disabled = false;
  });
  document.getElementById("new-game").addEventListener("click", () => {
    editions.replaceChildren(...table.editions.map((edition) => new Option(titleOf(edition), edition.name)));
    editions.value = table.edition;
    gameToEnd = table.game; // if another one has begun meanwhile, the table starts none
    dialog.showModal();
  });
  dialog.querySelector("form").addEventListener("submit", () => {
    void act("new_game", { ...(gameToEnd == null ? {} : { game: gameToEnd }), edition: editions.value });
  });
  document.getElementById("end-game").addEventListener("click", () => endGame.open(table));

  return {
    table(now) {
      table = now;
      const undone = undoneTransfers(table);
      offerUndo(table.transfers.find(({ id, reason }) => !FINAL.has(reason) && !undone.has(id)));
      document.getElementById("end-game").disabled = table.game == null;
    },
  };
}
