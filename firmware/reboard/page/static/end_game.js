// The end of a game: what deeds and houses are worth is added for each player, and then it is told who has won.

import { hue } from "/static/hues.js";

import { read, whose, withCurrency } from "./amounts.js";
import { element } from "./element.js";
import { text } from "./language.js";

/** The dialog; `act(what, args)` has the table end the game, and tells why it does not. */
export function endGame(act) {
  const dialog = document.getElementById("end-game-dialog");
  const list = document.getElementById("worths");
  const trouble = document.getElementById("worths-trouble");
  let table = {};

  function field({ number, shown }) {
    const label = element("label", "", "worth");
    label.style.setProperty("--hue", hue(number));
    const input = document.createElement("input");
    input.dataset.card = number;
    input.maxLength = 12;
    input.inputMode = table.units ? "text" : "numeric";
    input.autocomplete = "off";
    input.placeholder = "0";
    label.append(
      element("span", whose(number, table), "name"),
      element("span", `${withCurrency(shown, table)} +`, "balance"),
      input,
    );
    return label;
  }

  function say(words) {
    trouble.textContent = words;
    trouble.hidden = !words;
  }

  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault(); // what was added up stays until the table has it
    const worths = {};
    for (const input of list.querySelectorAll("input")) {
      if (!input.value.trim()) continue;
      const amount = read(input.value, table.units);
      if (amount === null) {
        say(text("notAnAmount", { text: input.value }));
        input.focus();
        return;
      }
      worths[input.dataset.card] = amount;
    }
    const why = await act("end_game", { game: table.game, worths });
    say(why);
    if (!why) dialog.close();
  });

  return {
    open(now) {
      table = now;
      say("");
      list.replaceChildren(...(now.cards ?? []).filter(({ retired }) => !retired).map(field));
      dialog.showModal();
    },
  };
}
