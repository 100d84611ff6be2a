// A phone as a bank: whom it can pay, the pad for the amount, the payments that wait for its player, and the latest ones.

import { show, showMessage } from "/static/element.js";
import { untilAnswered } from "/static/host_api.js";
import { amount as localized, text, withColon } from "/static/text.js";
import { capital } from "/static/words.js";

import { BANK, ended, enteredAmount, EVERYONE, holder, isInGame, money, newId, notAnAmount, parseAmount, payment as described, POT, withCurrency } from "./accounts.js";
import { isJoined, mayJoin, onOwnCard, ownCard } from "./own_card.js";
import { whyNotAsked } from "./sending.js";
import { row, SETTLED_MS } from "./waiting_payments.js";

const SHOWN_S = 10;
const MOST_CHIPS = 3;
const OTHER_GAME = new Set(["game.started", "game.resumed", "game.ended"]);
const NO_CHIP = new Set(["start", "bankrupt", "left", "undo"]);

/** `ask(request, arguments)` sends a request of a player; `joining.choose(card)` joins the game with a card, and returns why not, or "". */
export function pay(ask, keypad, joining) {
  const targets = document.getElementById("pay-targets");
  const salary = document.getElementById("pay-salary");
  const join = document.getElementById("pay-join");
  const news = document.getElementById("pay-news");
  const problem = document.getElementById("pay-problem");
  const rows = new Map();
  let table = null;
  let isLive = false;
  let unanswered = { request: "", payment: "" };
  let latest = []; // what has ended, newest first
  let settling = 0; // the timer during which a tap on the salary is the second one of a double tap
  let heard = ""; // the latest payment of this phone of whose end an event has told

  const me = () => table.cards.find(({ number }) => number === ownCard());
  const others = () => table.cards.filter((card) => card.number !== ownCard() && isInGame(card));
  const canPay = () => isJoined(table) && table.game != null && !table.ended && Boolean(me()) && isInGame(me());

  function draw() {
    if (!table) return;
    const { pot, rules } = table;
    show("pay-targets", canPay());
    show("pay-join", mayJoin(table) && ownCard() !== null && !table.ended && !canPay() && !me()?.retired);
    targets.querySelector("[data-account='9']").hidden = !pot;
    targets.querySelector("[data-account='10']").hidden = others().length < 2;
    for (const button of targets.querySelectorAll("[data-account]")) {
      const account = Number(button.dataset.account);
      const name = capital(holder(account, table));
      button.textContent = account === POT && pot ? withColon(name, withCurrency(pot.shown, table)) : name;
    }
    salary.textContent = text("Salary: get {amount}", { amount: withCurrency(rules.salary, table) });
    join.textContent = me() ? (me().left ? text("Return to the game") : text("Join")) : text("Join with {amount}", { amount: withCurrency(rules.start, table) });
    for (const button of [...targets.querySelectorAll("button"), join]) button.disabled = !isLive;
    drawNews();
    if (!canPay() && keypad.openFor?.account !== undefined) keypad.close();
  }

  /** What this phone is asked, what it waits for, and what has just ended. A row that stays the same stays in its place. */
  function drawNews() {
    const hasEnded = ({ payment }) => latest.some(({ key }) => key === payment); // the table may say so a moment later
    const waiting = isJoined(table) ? (table.payments ?? []).filter((payment) => !hasEnded(payment)) : [];
    const entries = [...waiting.filter(asksMe).map(demand), ...waiting.filter(({ by }) => by === ownCard()).map(ownRequest), ...latest];
    const now = entries.map((entry) => [`${entry.key} ${entry.words}`, entry]);
    for (const key of rows.keys()) if (!now.some(([one]) => one === key)) rows.delete(key);
    for (const [key, { words, buttons }] of now) if (!rows.has(key)) rows.set(key, row(words, buttons));
    const items = now.map(([key]) => rows.get(key));
    const hadFocus = news.contains(document.activeElement);
    for (const item of [...news.children]) if (!items.includes(item)) item.remove();
    items.forEach((item, i) => { if (news.children[i] !== item) news.insertBefore(item, news.children[i] ?? null); });
    news.hidden = items.length === 0;
    if (hadFocus && !news.contains(document.activeElement)) (news.hidden ? targets.firstElementChild : news.parentElement).focus({ preventScroll: true }); // a second Enter moves no money
  }

  /** Whether a payment waits for the player of this phone: another one asks for this player's money. */
  function asksMe({ from, by }) {
    return by !== ownCard() && (from === ownCard() || (from === EVERYONE && canPay()));
  }

  function demand(payment) {
    const { from, to, by } = payment;
    const amount = withCurrency(payment.shown, table);
    const values = { player: capital(holder(by || to, table)), amount };
    const words = from === EVERYONE ? text("{player} asks everyone for {amount}. One answer counts for all.", values) : text("{player} asks you for {amount}.", values);
    const yes = { ...answer("confirm_payment", payment, text("Pay {amount}", { amount })), isMain: true };
    return { key: payment.payment, words, buttons: [yes, answer("reject_payment", payment, text("No"))] };
  }

  function ownRequest(payment) {
    const { from, by } = payment;
    const said = described(payment, table);
    const hasPhone = from !== by && (from === EVERYONE || from in table.phones.cards);
    const words = hasPhone
      ? text("Waiting for {player}: {payment}", { player: holder(from, table), payment: said })
      : capital(table.fitted.includes("keypad")
        ? text("{payment}: waiting for GO at the banker unit, or for the host.", { payment: said })
        : text("{payment}: waiting for the host.", { payment: said }));
    return { key: payment.payment, words, buttons: [answer("reject_payment", payment, text("Withdraw"))] };
  }

  function answer(request, { payment }, label) {
    return {
      label,
      async run() {
        forget();
        const why = whyNot(await ask(request, { payment }));
        showMessage(problem, why);
        return why;
      },
    };
  }

  /** Why a request failed, or "". A phone whose card another one has now joins again. */
  function whyNot(answer) {
    const why = whyNotAsked(answer);
    if (answer?.body?.why !== "no phone") return why;
    joining.lose();
    return "";
  }

  async function send(way, account, what) {
    const [from, to] = way === "pay" ? [ownCard(), account] : [account, ownCard()];
    const request = JSON.stringify([table.game, from, to, what]);
    if (unanswered.request !== request) unanswered = { request, payment: newId() }; // the same request again pays once
    const { payment } = unanswered;
    const answer = await untilAnswered(() => ask("ask_payment", { payment, game: table.game, from, to, ...what }));
    if (!answer || answer.status === 503) return text("No answer. When the connection is back, tap again: it is paid only once.");
    unanswered = { request: "", payment: "" };
    if (answer.body?.why === "no funds" && from !== ownCard() && from !== BANK) {
      return from === EVERYONE ? text("A player does not have enough money.") : text("{player} does not have enough money.", { player: capital(holder(from, table)) });
    }
    if (!answer.ok) return whyNot(answer);
    clearTimeout(settling);
    settling = setTimeout(() => { settling = 0; }, SETTLED_MS);
    tellOfRepeated({ payment, from, to, ...what }, answer.body.ok);
    return "";
  }

  /** Say how a payment ended of which no event has told: a repeated request can be of one that was taken back since. */
  function tellOfRepeated({ amount = "", bankrupt, ...request }, { state: why, by, take_back_s }) {
    if (why === "asked" || request.payment === heard) return;
    tell({ ...request, amount: parseAmount(amount, table.units), reason: bankrupt ? "bankrupt" : "", why, by, take_back_s });
    drawNews();
  }

  function open(account) {
    forget();
    const act = (way) => (entered) => {
      const amount = enteredAmount(entered, table);
      return amount === null ? notAnAmount(entered, table) : send(way, account, { amount });
    };
    const isCreditor = account === BANK || table.cards.some(({ number }) => number === account);
    keypad.open({
      account,
      title: capital(holder(account, table)),
      label: text("Amount"),
      keys: table.units ? [localized("."), "K", "M"] : ["00"],
      chips: chips(account).map(([way, amount]) => ({
        label: way === "pay" ? text("Pay {amount}", { amount: withCurrency(amount, table) }) : text("Get {amount}", { amount: withCurrency(amount, table) }),
        run: () => send(way, account, { amount }),
      })),
      more: isCreditor ? { label: text("Bankrupt …"), run: () => askBankrupt(account) } : null,
      acts: [{ label: text("Get"), run: act("get") }, { label: text("Pay"), run: act("pay") }],
    });
  }

  function askBankrupt(account) {
    keypad.open({
      account,
      title: text("Are you bankrupt?"),
      hint: me().balance < 0
        ? text("The bank pays your debt, and you are out of the game.")
        : text("{receiver} gets all your money, and you are out of the game.", { receiver: capital(holder(account, table)) }),
      acts: [{ label: text("Cancel"), run: () => "" }, { label: text("Go bankrupt"), run: () => send("pay", account, { bankrupt: true }) }],
    });
  }

  /** The last amounts, each with its way: first those of an account, then those of the player. */
  function chips(account) {
    const found = account === POT && table.pot.balance ? [["get", table.pot.shown]] : [];
    const ofAccount = table.transfers.filter(({ from, to }) => from === account || to === account);
    for (const { from, to, amount, reason } of [...ofAccount, ...table.transfers]) {
      const shown = money(amount, table);
      if (NO_CHIP.has(reason) || (from === BANK && shown === table.rules.salary)) continue; // the salary has its button
      const isEach = { each_paid: "pay", each_received: "get" }[reason];
      const isPaid = from === ownCard() || to === account;
      const isGot = to === ownCard() || from === account;
      const way = account === EVERYONE ? isEach : isPaid ? "pay" : isGot ? "get" : undefined;
      if (way && !found.some(([one, other]) => one === way && other === shown)) found.push([way, shown]);
    }
    return found.slice(0, MOST_CHIPS);
  }

  /** Remove what was said about earlier requests. */
  function forget() {
    showMessage(problem, "");
    latest = latest.filter(({ isProblem }) => !isProblem);
    draw();
  }

  function remove(payment) {
    latest = latest.filter(({ key }) => key !== payment);
    drawNews();
  }

  /** Say how a payment has ended: to its players, and to all while it can be taken back. */
  function tell(event) {
    const { payment, why, take_back_s: takeBack_s = 0 } = event;
    const isParty = [event.from, event.to, event.by].includes(ownCard());
    const wasShown = latest.some(({ key }) => key === payment);
    latest = latest.filter(({ key }) => key !== payment);
    const isProblem = why !== "booked" && why !== "taken back";
    if (isProblem ? event.by !== ownCard() || why === "withdrawn" : !isParty && !takeBack_s && !wasShown) return;
    const about = event.reason === "bankrupt"
      ? text("Take back the bankruptcy of {player}", { player: holder(event.from, table) })
      : text("Take back {what}", { what: described(event, table) });
    const buttons = takeBack_s ? [{ ...answer("take_back", event, text("Take back")), about }] : [];
    latest = [{ key: payment, words: ended(event, table), buttons, isProblem }, ...latest];
    if (!isProblem) setTimeout(remove, 1000 * (takeBack_s || SHOWN_S), payment);
  }

  for (const button of targets.querySelectorAll("[data-account]")) button.addEventListener("click", () => open(Number(button.dataset.account)));
  salary.addEventListener("click", async () => {
    if (settling) return;
    forget();
    showMessage(problem, await send("get", BANK, { amount: table.rules.salary }));
  });
  join.addEventListener("click", async () => {
    forget();
    showMessage(problem, await joining.choose(ownCard()));
  });
  onOwnCard(() => {
    latest = [];
    draw();
  });

  return {
    open,
    isTarget: (number) => canPay() && others().some((card) => card.number === number),
    table(now) {
      const isOtherGame = table !== null && table.game !== now.game;
      table = now;
      if (isOtherGame) forget();
      else draw();
    },
    event(event, isPast) {
      if (OTHER_GAME.has(event.event) && !isPast) {
        if (event.event !== "game.resumed") latest = []; // the table takes nothing back from now on
        forget();
      }
      if (event.event !== "payment.ended" || !table || !isJoined(table)) return;
      // what may have ended, or been taken back, while the connection was lost
      if (isPast && event.payment !== unanswered.payment && !latest.some(({ key }) => key === event.payment)) return;
      if (event.by === ownCard()) {
        heard = event.payment;
        showMessage(problem, ""); // such as that it still waits
      }
      if (event.payment === unanswered.payment) {
        unanswered = { request: "", payment: "" };
        keypad.close();
        showMessage(problem, "");
      }
      const ago_s = isPast ? Math.max(0, table.t - event.t) : 0;
      tell({ ...event, take_back_s: Math.max(0, (event.take_back_s ?? 0) - ago_s) });
      drawNews();
    },
    connection(now) {
      isLive = now === "live";
      draw();
    },
  };
}
