// Pay from a phone: a player asks, and the host or the key GO confirms. The host's list of the payments that wait.

import { element, show, showMessage } from "/static/element.js";
import { untilAnswered, whyNot } from "/static/host_api.js";
import { text } from "/static/text.js";
import { capital } from "/static/words.js";

import { BANK, enteredAmount, hint, holder, isInGame, newId, notAnAmount, options, payment as described, state as stateOf, whyEnded, withCurrency } from "./accounts.js";
import { onOwnCard, ownCard } from "./own_card.js";

const SETTLED_MS = 1000;
const OTHER_GAME = new Set(["game.started", "game.resumed", "game.ended"]);

/** `ask(request, arguments)` sends a request of a player; `isOn`: whether the page lets players ask. */
export function pay(ask, isOn) {
  const form = document.getElementById("pay-form");
  const what = document.getElementById("pay-what");
  const amount = document.getElementById("pay-amount");
  const salary = document.getElementById("pay-salary");
  const join = document.getElementById("pay-join");
  const problem = document.getElementById("pay-problem");
  const state = document.getElementById("pay-state");
  let table = null;
  let isLive = false;
  let isSending = false;
  let asked = ""; // this phone's latest payment, until the sheet shows how it ended
  let result = "";

  function draw() {
    show("pay", isOn && table?.game != null && ownCard() !== null && !(table.ended && !result));
    if (!isOn || !table || ownCard() === null) return;
    const { cards, payments = [], rules } = table;
    const mine = cards.find(({ number }) => number === ownCard());
    const others = cards.filter((card) => card.number !== ownCard() && isInGame(card));
    options(what, [
      [`to ${BANK}`, capital(text("Pay {to}", { to: holder(BANK, table, "to") }))],
      ...others.map(({ number }) => [`to ${number}`, capital(text("Pay {to}", { to: holder(number, table, "to") }))]),
      [`from ${BANK}`, capital(text("Get from {from}", { from: holder(BANK, table, "from") }))],
    ]);
    hint(amount, table);
    salary.textContent = text("Salary: get {amount}", { amount: withCurrency(rules.salary, table) });
    join.textContent = mine ? text("Return to the game") : text("Join with {amount}", { amount: withCurrency(rules.start, table) });
    const waiting = payments.find(({ from, to }) => (from || to) === ownCard());
    form.hidden = Boolean(table.ended || waiting) || !mine || !isInGame(mine);
    join.hidden = Boolean(table.ended || waiting || (mine && !mine.left)) || ownCard() > rules.players.most;
    for (const button of [...form.querySelectorAll("button"), join]) button.disabled = isSending || !isLive;
    const words = waiting ? capital(text("{payment}: waiting for GO at the banker unit, or for the host.", { payment: described(waiting, table) })) : mine && !isInGame(mine) ? stateOf(mine) : result;
    if (state.textContent !== words) state.textContent = words;
    state.classList.toggle("waiting", Boolean(waiting));
    if (waiting?.payment === asked) showMessage(problem, "");
  }

  async function send(from, to, entered) {
    forget();
    isSending = true;
    asked = newId();
    draw();
    const request = { payment: asked, game: table.game, from, to, ...(entered ? { amount: entered } : {}) };
    const answer = await untilAnswered(() => ask("ask_payment", request));
    isSending = false;
    if (asked === request.payment) showMessage(problem, answer?.ok ? "" : whyNotAsked(answer));
    if (answer?.ok) amount.value = "";
    draw();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const entered = enteredAmount(amount.value, table);
    if (entered === null) {
      showMessage(problem, notAnAmount(amount.value, table));
      amount.focus();
      return;
    }
    const [way, account] = what.value.split(" ");
    void (way === "to" ? send(ownCard(), Number(account), entered) : send(Number(account), ownCard(), entered));
  });
  salary.addEventListener("click", () => void send(BANK, ownCard(), table.rules.salary));
  join.addEventListener("click", () => void send(BANK, ownCard()));
  onOwnCard(forget);

  /** Remove what the sheet said about earlier payments. */
  function forget() {
    asked = result = "";
    showMessage(problem, "");
    draw();
  }

  return {
    table(now) {
      const isOtherGame = table !== null && table.game !== now.game;
      table = now;
      if (isOtherGame) forget();
      else draw();
    },
    event(event, isPast) {
      if (isPast && event.payment !== asked) return; // it may have ended while the connection was lost
      if (OTHER_GAME.has(event.event)) forget();
      if (event.event !== "payment.ended" || (event.from || event.to) !== ownCard()) return;
      forget(); // another phone with this card may have asked first
      result = ended(event, table ?? {});
      draw();
    },
    connection(now) {
      isLive = now === "live";
      draw();
    },
  };
}

/** The host's list. `act(request, arguments)` returns why it failed, or "". */
export function waitingPayments(act) {
  const list = document.getElementById("payments");
  const problem = document.getElementById("payments-problem");
  const confirmed = new Set();
  let latest = {};
  let shown = "";

  function row(payment, table) {
    const item = element("li");
    const answers = element("div", "", "answers");
    item.append(element("span", capital(described(payment, table))), answers);
    for (const [request, label, kind] of [["confirm_payment", text("Confirm"), "button main"], ["reject_payment", text("Reject"), "button"]]) {
      const button = element("button", label, kind);
      button.type = "button";
      button.disabled = true; // a finger may be on its way to the payment that was here before
      setTimeout(() => { button.disabled = false; }, SETTLED_MS);
      button.addEventListener("click", async () => {
        button.disabled = true;
        showMessage(problem, "");
        if (request === "confirm_payment") confirmed.add(payment.payment);
        if (await act(request, { payment: payment.payment })) button.disabled = false;
      });
      answers.append(button);
    }
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
      list.replaceChildren(...payments.map((payment) => row(payment, table)));
    },
    event(event, isPast) {
      if (isPast || event.event !== "payment.ended" || !confirmed.delete(event.payment) || event.why === "booked") return;
      showMessage(problem, ended(event, latest));
    },
  };
}

/** A payment that has ended, and why if it was not booked. */
function ended(event, table) {
  const payment = described(event, table);
  return event.why === "booked" ? text("Done: {payment}.", { payment }) : text("Not done: {payment}. Reason: {why}.", { payment, why: whyEnded(event) });
}

function whyNotAsked(answer) {
  if (answer?.status === 403) return text("The host takes no requests from this phone.");
  return answer?.status === 429 ? text("Too many requests. Try again in {seconds} s.", { seconds: answer.body?.retry_after_s ?? 1 }) : whyNot(answer);
}
