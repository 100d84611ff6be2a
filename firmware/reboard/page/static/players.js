// Who has how much, and where the cards are.

import { hue } from "/static/hues.js";

import { whose, withCurrency, written } from "./amounts.js";
import { element, show } from "./element.js";
import { text } from "./language.js";

const FLOAT_MS = 2200;

/** `card()` draws a bank card. */
export function players(card) {
  const list = document.getElementById("cards");
  const glass = document.getElementById("glass");
  const tiles = new Map();
  let last = {};
  let game = null;

  function tile(number) {
    const item = element("li", "", "player");
    item.dataset.card = number;
    item.style.setProperty("--hue", hue(number));
    const art = card();
    art.classList.add("card-art");
    art.style.setProperty("--hue", hue(number));
    art.querySelector(".card-number").textContent = number;
    item.append(art, element("span", "", "name"), element("span", "", "balance"), element("span", "", "where"));
    return item;
  }

  function fill(item, { number, shown, retired }, slot, table) {
    item.classList.toggle("in", Boolean(slot));
    item.classList.toggle("retired", Boolean(retired));
    item.querySelector(".name").textContent = whose(number, table);
    item.querySelector(".balance").textContent = withCurrency(shown, table);
    const where = retired ? text("retired") : slot ? text(slot === "left" ? "inLeft" : "inRight") : "";
    item.querySelector(".where").textContent = where;
    item.querySelector(".card-shown").textContent = slot ? (slot === "left" ? "+" : "−") : "";
  }

  /** What a player has just won or lost floats up from the tile. */
  function float(item, change, table) {
    const sum = element("span", (change > 0 ? "+" : "−") + written(Math.abs(change), table), "change");
    sum.classList.add(change > 0 ? "won" : "lost");
    sum.setAttribute("aria-hidden", "true");
    item.append(sum);
    setTimeout(() => sum.remove(), FLOAT_MS);
  }

  return {
    table(table) {
      const { deal, cards = [], slots = {}, display = [] } = table;
      show("bank", deal != null);
      if (deal == null) return;
      const inSlot = Object.fromEntries(Object.entries(slots).map(([slot, number]) => [number, slot]));
      for (const player of cards) {
        const { number, balance } = player;
        if (!tiles.has(number)) tiles.set(number, tile(number));
        const item = tiles.get(number);
        fill(item, player, inSlot[number], table);
        const before = last[number];
        if (table.game === game && before !== undefined && before !== balance) float(item, balance - before, table);
      }
      const now = cards.map(({ number }) => tiles.get(number));
      if (now.length !== list.children.length || now.some((item, i) => item !== list.children[i])) list.replaceChildren(...now);
      last = Object.fromEntries(cards.map(({ number, balance }) => [number, balance]));
      game = table.game;
      show("no-cards", cards.length === 0);
      show("pot", table.pot != null);
      document.getElementById("pot").textContent = table.pot ? text("pot", { shown: withCurrency(table.pot.shown, table) }) : "";
      document.getElementById("game").textContent = table.game == null ? "" : text("game", table);
      glass.querySelectorAll("pre").forEach((line, i) => { line.textContent = (display[i] ?? "").padEnd(16); });
      glass.setAttribute("aria-label", text("display", { lines: display.map((line) => line.trim()).filter(Boolean).join(", ") }));
      glass.classList.toggle("asleep", Boolean(table.asleep));
    },
  };
}
