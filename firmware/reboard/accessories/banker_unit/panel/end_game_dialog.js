// The dialog that ends a game: the host adds what each player's property is worth.

import { cardColour } from "/static/card_colour.js";
import { element, showMessage } from "/static/element.js";

import { enteredAmount, holder, notAnAmount, parseAmount, withCurrency } from "./accounts.js";
import { openAfresh, sendFrom } from "./sending.js";

/** `act(request, arguments)` returns why it failed, or "". */
export function endGameDialog(act) {
  const dialog = document.getElementById("end-game-dialog");
  const list = document.getElementById("worths");
  const problem = document.getElementById("worths-problem");
  let table = {};

  function field({ number, shown }) {
    const label = element("label", "", "worth");
    label.style.setProperty("--card", cardColour(number));
    const input = document.createElement("input");
    input.dataset.card = number;
    input.maxLength = 12;
    input.inputMode = table.units ? "text" : "numeric";
    input.autocomplete = "off";
    input.placeholder = "0";
    const balance = element("span", `${withCurrency(shown, table)} +`, "balance");
    label.append(element("span", holder(number, table), "name"), balance, input);
    return label;
  }

  dialog.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault(); // the entries stay until the table has accepted them
    const worths = {};
    for (const input of list.querySelectorAll("input")) {
      if (!input.value.trim()) continue;
      const amount = parseAmount(input.value, table.units);
      if (amount !== 0 && enteredAmount(input.value, table) === null) {
        showMessage(problem, notAnAmount(input.value, table));
        input.focus();
        return;
      }
      worths[input.dataset.card] = amount;
    }
    void sendFrom(dialog, () => act("end_game", { game: table.game, worths }));
  });

  return {
    open(now) {
      table = now;
      list.replaceChildren(...table.cards.filter(({ playing }) => playing).map(field));
      openAfresh(dialog);
    },
  };
}
