// Which card belongs to this phone. Where phones pay, the phone joins with the card, and with the code of the table.

import { cardColour } from "/static/card_colour.js";
import { element, show, showMessage } from "/static/element.js";
import { request } from "/static/host_api.js";
import { text } from "/static/text.js";

import { holder } from "./accounts.js";
import { chooseCard, isJoined, isTaken, mayJoin, onOwnCard, ownCard } from "./own_card.js";
import { whyNotAsked } from "./sending.js";

const CODE_LENGTH = 4;

/** `ask(request, arguments)` sends a request of a player; `keypad` is the pad of the page. */
export function join(ask, keypad) {
  const choices = document.getElementById("own-choices");
  const undo = document.getElementById("own-undo");
  const problem = document.getElementById("own-problem");
  const invited = codeOfAddress();
  let table = null;
  let wasJoined = true; // a page that was closed meanwhile has lost its card, too
  let isSending = false;

  function draw() {
    show("own-choice", ownCard() === null);
    const numbers = table.cards.map(({ number }) => number);
    const most = Math.max(table.rules?.players.most ?? 0, ...numbers);
    const all = Array.from({ length: most }, (_, i) => i + 1);
    if (all.length !== choices.children.length) choices.replaceChildren(...all.map(choice));
    for (const button of choices.children) {
      const number = Number(button.textContent);
      button.classList.toggle("absent", !numbers.includes(number));
      button.setAttribute("aria-label", text("I am {name}", { name: holder(number, table) }));
    }
  }

  function choice(number) {
    const button = element("button", number, "chip");
    button.type = "button";
    button.style.setProperty("--card", cardColour(number));
    button.addEventListener("click", async () => {
      showMessage(problem, "");
      showMessage(problem, await choose(number));
    });
    return button;
  }

  /** Take a card: on this page only, or at the table, where it has one phone. Returns why it failed, or "". */
  async function choose(card) {
    if (!mayJoin(table)) {
      chosen(card);
      return "";
    }
    if (isSending) return "";
    isSending = true;
    const why = await take(card, { ...(invited && { code: invited }) });
    isSending = false;
    return why;
  }

  /** Ask the table for a card. Returns why it failed, or "" if it did not, or if the pad asks for more. */
  async function take(card, known) {
    const answer = await ask("join", { card, ...known });
    const why = answer?.body?.why;
    if (answer?.ok) chosen(card, answer.body.ok.cards[card]);
    else if (why === "code needed" || (why === "wrong code" && !isAsking(card))) enterCode(card);
    else if (why === "card taken") replacePhone(card, known);
    else return whyNotAsked(answer);
    return "";
  }

  const isAsking = (card) => keypad.openFor?.card === card;

  function enterCode(card) {
    keypad.open({
      card,
      title: text("I am {name}", { name: holder(card, table) }),
      label: text("Code"),
      hint: table.fitted.includes("display")
        ? text("Enter the code that the table shows. Another phone has it under “Invite”.")
        : text("A phone that has joined shows the code under “Invite”. If there is none, restart the table."),
      keys: [],
      length: CODE_LENGTH,
      acts: [{ label: text("Join"), run: (code) => take(card, { code }) }],
    });
  }

  function replacePhone(card, known) {
    keypad.open({
      card,
      title: text("I am {name}", { name: holder(card, table) }),
      hint: text("Another phone has this card. Is this one to take its place?"),
      acts: [{ label: text("Use this phone"), run: () => take(card, { ...known, instead: true }) }],
    });
  }

  function chosen(card, phone) {
    chooseCard(card, phone);
    undo.focus({ preventScroll: true });
  }

  undo.addEventListener("click", () => {
    if (isJoined(table)) void ask("leave_card");
    chooseCard(null);
    choices.firstElementChild?.focus();
  });
  onOwnCard(() => {
    wasJoined = false; // until the table says so
    if (table) draw();
  });

  /** Forget the card, because the table has it no longer for this phone. */
  function lose() {
    chooseCard(null);
    keypad.close();
    showMessage(problem, text("This phone no longer has its card. Another phone may have taken it."));
    problem.scrollIntoView({ block: "nearest" });
  }

  return {
    choose,
    lose,
    /** The code for other phones, or "". The host may read it, and a phone that has joined. */
    async codeToJoin() {
      if (!mayJoin(table)) return "";
      const isHost = document.body.hasAttribute("data-host");
      const answer = isHost ? await request("join_code") : isJoined(table) ? await ask("join_code") : null;
      return answer?.body?.ok?.code ?? "";
    },
    table(now) {
      table = now;
      if (isTaken(table) && wasJoined) lose();
      else draw();
      wasJoined = isJoined(table);
    },
  };
}

/** The code in the address of an invitation. It leaves the address, which a player may share. */
function codeOfAddress() {
  const address = new URL(location.href);
  const code = address.searchParams.get("join") ?? "";
  if (code) {
    address.searchParams.delete("join");
    history.replaceState(null, "", address);
  }
  return code;
}
