// The payments that wait for an answer, as rows with buttons, and the host's list of them.

import { element, show, showMessage } from "/static/element.js";
import { text } from "/static/text.js";
import { capital } from "/static/words.js";

import { ended, payment as described } from "./accounts.js";

/** The time for which a finger may still be on its way to what was here before. */
export const SETTLED_MS = 1000;

/**
 * A row with words and buttons, each a `label`, a longer one for screen readers (`about`), `isMain` and `run()`, which
 * returns why it failed, or "". The buttons work after `SETTLED_MS`.
 */
export function row(words, buttons) {
  const item = element("li");
  const answers = element("div", "", "answers");
  for (const { label, about, isMain, run } of buttons) {
    const button = element("button", label, isMain ? "button main" : "button");
    button.type = "button";
    if (about) button.setAttribute("aria-label", about);
    button.disabled = true;
    setTimeout(() => { button.disabled = false; }, SETTLED_MS);
    button.addEventListener("click", async () => {
      if (item.ariaBusy) return; // a disabled button would lose the focus
      item.ariaBusy = "true";
      if (await run()) item.ariaBusy = null;
    });
    answers.append(button);
  }
  item.append(element("span", words), answers);
  return item;
}

/** The host's list. `act(request, arguments)` returns why it failed, or "". */
export function waitingPayments(act) {
  const list = document.getElementById("payments");
  const problem = document.getElementById("payments-problem");
  const confirmed = new Set();
  let latest = {};
  let shown = "";

  function rowOf(payment, table) {
    const answer = (request) => {
      showMessage(problem, "");
      if (request === "confirm_payment") confirmed.add(payment.payment);
      return act(request, { payment: payment.payment });
    };
    const item = row(capital(described(payment, table)), [
      { label: text("Confirm"), isMain: true, run: () => answer("confirm_payment") },
      { label: text("Reject"), run: () => answer("reject_payment") },
    ]);
    item.dataset.asked = payment.payment; // the page adds a button that blocks the phone
    return item;
  }

  return {
    table(table) {
      latest = table;
      const { payments = [], cards } = table;
      show("payments-box", payments.length > 0);
      const now = JSON.stringify([payments, cards.map(({ name }) => name)]);
      if (now === shown) return;
      shown = now;
      list.replaceChildren(...payments.map((payment) => rowOf(payment, table)));
    },
    event(event, isPast) {
      if (event.event === "game.started") showMessage(problem, "");
      if (isPast || event.event !== "payment.ended" || !confirmed.delete(event.payment)) return;
      showMessage(problem, event.why === "booked" ? "" : ended(event, latest));
    },
  };
}
