// The players with their balances, and the display of the unit.

import { element, show } from "/static/element.js";
import { hue } from "./hues.js";
import { text } from "/static/language.js";

import { holder, money, withCurrency } from "./accounts.js";

const FLOAT_MS = 2200; // as in panel.css

/** `drawCard()` returns a drawing of a bank card. */
export function players(drawCard) {
  const list = document.getElementById("cards");
  const display = document.getElementById("display");
  const tiles = new Map();
  let before = {};
  let game = null;

  function tile(number) {
    const item = element("li", "", "player");
    item.dataset.card = number;
    item.style.setProperty("--hue", hue(number));
    const art = drawCard();
    art.classList.add("card-art");
    art.style.setProperty("--hue", hue(number));
    art.querySelector(".card-number").textContent = number;
    item.append(art, element("span", "", "name"), element("span", "", "balance"), element("span", "", "where"));
    return item;
  }

  function fill(item, { number, shown, retired }, slot, table) {
    item.classList.toggle("in", Boolean(slot));
    item.classList.toggle("retired", Boolean(retired));
    item.querySelector(".name").textContent = holder(number, table);
    item.querySelector(".balance").textContent = withCurrency(shown, table);
    const where = retired ? text("retired") : slot ? text(slot === "left" ? "inLeft" : "inRight") : "";
    item.querySelector(".where").textContent = where;
    item.querySelector(".card-shown").textContent = slot ? (slot === "left" ? "+" : "−") : "";
  }

  /** A change of the balance floats up from the player. */
  function float(item, change, table) {
    const amount = withCurrency(money(Math.abs(change), table), table);
    const sum = element("span", (change > 0 ? "+" : "−") + amount, `change ${change > 0 ? "won" : "lost"}`);
    sum.setAttribute("aria-hidden", "true");
    item.append(sum);
    setTimeout(() => sum.remove(), FLOAT_MS);
  }

  return {
    table(table) {
      const slots = Object.fromEntries(Object.entries(table.slots).map(([slot, number]) => [number, slot]));
      for (const player of table.cards) {
        const { number, balance } = player;
        if (!tiles.has(number)) tiles.set(number, tile(number));
        const item = tiles.get(number);
        fill(item, player, slots[number], table);
        if (table.game === game && number in before && before[number] !== balance) float(item, balance - before[number], table);
      }
      const items = table.cards.map(({ number }) => tiles.get(number));
      if (items.length !== list.children.length || items.some((item, i) => item !== list.children[i])) {
        list.replaceChildren(...items);
      }
      before = Object.fromEntries(table.cards.map(({ number, balance }) => [number, balance]));
      game = table.game;
      show("no-cards", items.length === 0);
      show("pot", table.pot != null);
      document.getElementById("pot").textContent = table.pot ? text("pot", { shown: withCurrency(table.pot.shown, table) }) : "";
      document.getElementById("game").textContent = table.game == null ? "" : text("game", table);
      showDisplay(table);
    },
  };

  function showDisplay({ display: lines, asleep }) {
    display.querySelectorAll("pre").forEach((line, i) => { line.textContent = (lines[i] ?? "").padEnd(16); });
    const words = lines.map((line) => line.trim()).filter(Boolean).join(", ");
    display.setAttribute("aria-label", text("display", { lines: words }));
    display.classList.toggle("asleep", Boolean(asleep));
  }
}
