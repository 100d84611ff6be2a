// The host's controls of the game: payments of everyone, new game, end game.

import { titleOf } from "/static/language.js";
import { text } from "/static/text.js";

import { holder, isInGame } from "./accounts.js";
import { endGameDialog } from "./end_game_dialog.js";
import { everyoneDialog } from "./everyone_dialog.js";

/** `act(request, arguments)` returns why it failed, or "". */
export function gameControls(act) {
  const dialog = document.getElementById("new-game-dialog");
  const editions = document.getElementById("editions");
  const same = document.getElementById("same-players");
  const endGame = endGameDialog(act);
  const everyone = everyoneDialog(act);
  let table = {};
  let gameToEnd = null;

  document.getElementById("new-game").addEventListener("click", () => {
    editions.replaceChildren(...table.editions.map((edition) => new Option(titleOf(edition), edition.name)));
    editions.value = table.edition;
    gameToEnd = table.game; // if another one has begun meanwhile, the table starts none
    const cards = table.cards.filter(({ left }) => !left);
    same.checked = Object.keys(table.phones.cards).length > 0; // their phones stay
    same.closest("label").hidden = cards.length === 0;
    document.getElementById("same-names").textContent = text("The same players again: {names}", { names: cards.map(({ number }) => holder(number, table)).join(", ") });
    dialog.showModal();
  });
  dialog.querySelector("form").addEventListener("submit", () => {
    const game = gameToEnd == null ? {} : { game: gameToEnd };
    void act("new_game", { ...game, edition: editions.value, ...(same.checked ? { same_players: true } : {}) });
  });
  document.getElementById("end-game").addEventListener("click", () => endGame.open(table));
  document.getElementById("everyone").addEventListener("click", () => everyone.open(table));

  return {
    table(now) {
      table = now;
      document.getElementById("end-game").disabled = table.game == null;
      document.getElementById("everyone").disabled = table.cards.filter(isInGame).length < 2 && !table.pot;
    },
  };
}
