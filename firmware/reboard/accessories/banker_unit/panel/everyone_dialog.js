// The dialog in which the host lets everyone pay a player, a player pay everyone, or the bank pay into the pot.

import { showMessage } from "/static/element.js";
import { text } from "/static/text.js";
import { capital } from "/static/words.js";

import { enteredAmount, hint, holder, isInGame, newId, notAnAmount, options } from "./accounts.js";
import { openAfresh, sendFrom } from "./sending.js";

/** `act(request, arguments)` returns why it failed, or "". */
export function everyoneDialog(act) {
  const dialog = document.getElementById("everyone-dialog");
  const what = document.getElementById("everyone-what");
  const others = document.getElementById("everyone-others");
  const amount = document.getElementById("everyone-amount");
  const problem = dialog.querySelector(".refusal");
  let table = {};
  let sent = { request: "", payment: "" };

  function describe() {
    const [way, card] = what.value.split(" ");
    const names = table.cards.filter((one) => isInGame(one) && one.number !== Number(card)).map(({ number }) => holder(number, table));
    const said = { names: names.join(", ") };
    others.textContent = way === "pot" ? "" : way === "to" ? text("Each pays it: {names}.", said) : text("Each gets it: {names}.", said);
  }

  what.addEventListener("change", describe);
  dialog.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault(); // the entries stay until the table has accepted them
    const entered = enteredAmount(amount.value, table);
    if (entered === null) {
      showMessage(problem, notAnAmount(amount.value, table));
      amount.focus();
      return;
    }
    const [way, card] = what.value.split(" ");
    const request = `${what.value} ${entered}`;
    if (sent.request !== request) sent = { request, payment: newId() }; // the same request again pays once
    const { payment } = sent;
    void sendFrom(dialog, () =>
      way === "pot"
        ? act("fill_pot", { game: table.game, payment, amount: entered })
        : act("each", { game: table.game, payment, card: Number(card), amount: entered, receives: way === "to" }),
    );
  });

  return {
    open(now) {
      table = now;
      sent = { request: "", payment: "" };
      const cards = table.cards.filter(isInGame);
      const each = cards.length > 1 ? cards : [];
      options(what, [
        ...each.map(({ number }) => [`to ${number}`, text("Everyone pays {to}", { to: holder(number, table, "to") })]),
        ...each.map(({ number }) => [`from ${number}`, text("{from} pays everyone", { from: capital(holder(number, table)) })]),
        ...(table.pot ? [["pot", text("The bank pays into the Free Parking pot")]] : []),
      ]);
      hint(amount, table);
      amount.value = "";
      describe();
      openAfresh(dialog);
    },
  };
}
