// The players with their balances, and the display of the unit. The card of the phone's owner stays at the top.

import { cardColour } from "/static/card_colour.js";
import { element, show, showMessage } from "/static/element.js";
import { text } from "/static/text.js";
import { capital } from "/static/words.js";

import { hasSlot, holder, isInGame, money, state, withCurrency } from "./accounts.js";
import { mayJoin, onOwnCard, ownCard } from "./own_card.js";

const FLOAT_MS = 2200; // as in panel.css
const WON_MS = [80];
const LOST_MS = [80, 80, 80]; // two pulses

/** `drawCard()` returns a drawing of a bank card. `paying` says which players this phone can pay, and opens its pad. */
export function players(drawCard, paying) {
  const list = document.getElementById("cards");
  const own = document.getElementById("own");
  const display = document.getElementById("display");
  const tiles = new Map();
  let before = {};
  let game = null;
  let table = null;
  let isOld = false; // while there is no connection

  function tile(number) {
    const item = element("li", "", "player");
    item.dataset.card = number;
    item.style.setProperty("--card", cardColour(number));
    const art = drawCard();
    art.classList.add("card-art");
    art.style.setProperty("--card", cardColour(number));
    art.querySelector(".card-number").textContent = number;
    const tap = element("button", "", "tap");
    tap.type = "button";
    tap.addEventListener("click", () => paying.open(number));
    item.append(art, element("span", "", "name"), element("span", "", "balance"), element("span", "", "where"), tap);
    return item;
  }

  function fill(item, number) {
    const player = table.cards.find((card) => card.number === number);
    const [slot] = Object.entries(table.slots).find(([, card]) => card === number) ?? [""];
    item.classList.toggle("in", Boolean(slot));
    item.classList.toggle("retired", Boolean(player) && !isInGame(player));
    item.classList.toggle("absent", !player);
    item.querySelector(".name").textContent = holder(number, table);
    item.querySelector(".balance").textContent = player ? withCurrency(player.shown, table) : "";
    const known = slot && isInGame(player ?? {}) ? (slot === "left" ? text("receives (+)") : text("pays (−)")) : player ? state(player) : text("not in this game");
    item.querySelector(".where").textContent = isOld && number === ownCard() ? text("no connection: this may be old") : known;
    const tap = item.querySelector(".tap");
    tap.hidden = !paying.isTarget(number, table);
    tap.setAttribute("aria-label", text("{name}: pay or get", { name: capital(holder(number, table)) }));
    item.querySelector(".card-shown").textContent = slot ? (slot === "left" ? "+" : "−") : "";
  }

  /** A change of the balance floats up from the player. */
  function float(item, change) {
    const amount = withCurrency(money(Math.abs(change), table), table);
    const sum = element("span", (change > 0 ? "+" : "−") + amount, `change ${change > 0 ? "won" : "lost"}`);
    sum.setAttribute("aria-hidden", "true");
    item.append(sum);
    setTimeout(() => sum.remove(), FLOAT_MS);
  }

  function draw() {
    const mine = ownCard();
    const numbers = table.cards.map(({ number }) => number);
    for (const number of new Set(mine === null ? numbers : [...numbers, mine])) {
      if (!tiles.has(number)) tiles.set(number, tile(number));
      fill(tiles.get(number), number);
    }
    place(list, numbers.filter((number) => number !== mine).map((number) => tiles.get(number)));
    place(own.querySelector("ul"), mine === null ? [] : [tiles.get(mine)]);
    own.hidden = mine === null;
    own.classList.toggle("old", isOld);
    document.getElementById("bank-title").textContent = mine === null ? text("Players") : text("Other players");
    list.classList.toggle("compact", mine !== null);
  }

  onOwnCard(() => table && draw());

  return {
    connection(state) {
      if (state === "connecting") return;
      isOld = state !== "live";
      if (table) draw();
    },
    table(now) {
      table = now;
      draw();
      for (const { number, balance } of table.cards) {
        if (table.game !== game || !(number in before) || before[number] === balance) continue;
        const change = balance - before[number];
        float(tiles.get(number), change);
        if (number === ownCard()) vibrate(change > 0 ? WON_MS : LOST_MS);
      }
      before = Object.fromEntries(table.cards.map(({ number, balance }) => [number, balance]));
      game = table.game;
      showMessage(document.getElementById("no-cards"), table.cards.length ? "" : noPlayers());
      showMessage(document.getElementById("count-now"), isCounted() ? text("The game ends with this bankruptcy. The host enters what each player’s property is worth, under “End game …”.") : "");
      show("pot", table.pot != null);
      document.getElementById("pot").textContent = table.pot ? text("Free Parking pot: {shown}", { shown: withCurrency(table.pot.shown, table) }) : "";
      document.getElementById("game").textContent = nameOfGame(table);
      showDisplay(table);
    },
  };

  function noPlayers() {
    if (mayJoin(table)) return text("No players yet. Choose a card.");
    return hasSlot(table) ? text("No players yet. Put a card into a slot.") : text("No players yet.");
  }

  /** Whether bankruptcies have ended the game, and the property of the others decides. */
  function isCounted() {
    const { ended, rules, cards } = table;
    const out = cards.filter(({ retired }) => retired).length;
    return !ended && Boolean(rules?.ends_at_bankruptcy) && out >= rules.ends_at_bankruptcy && cards.filter(isInGame).length > 1;
  }

  /** A table that is only phones has nothing that its display could be about, and the page says the rest in its language. */
  function showDisplay({ display: lines, asleep, fitted }) {
    display.hidden = fitted.length === 0;
    display.querySelectorAll("pre").forEach((line, i) => { line.textContent = (lines[i] ?? "").padEnd(16); });
    const words = lines.map((line) => line.trim()).filter(Boolean).join(", ");
    display.setAttribute("aria-label", text("Display: {lines}", { lines: words }));
    display.classList.toggle("asleep", Boolean(asleep));
  }
}

function nameOfGame({ game, clock, ended }) {
  if (game == null) return "";
  return clock == null || ended ? text("Game {game}", { game }) : text("Game {game} · {clock} min left", { game, clock });
}

/** Put items into a list. Items that are there already keep their animations. */
function place(list, items) {
  if (items.length !== list.children.length || items.some((item, i) => item !== list.children[i])) list.replaceChildren(...items);
}

// browsers report an error for a page that the user has not touched yet
function vibrate(pattern_ms) {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(pattern_ms);
}
