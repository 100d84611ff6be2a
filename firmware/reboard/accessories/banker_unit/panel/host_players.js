// The host's list of the players: their names, and a dialog for a player who leaves, returns or has lost the card.

import { cardColour } from "/static/card_colour.js";
import { element, show, showMessage } from "/static/element.js";
import { text } from "/static/text.js";
import { capital } from "/static/words.js";

import { hasSlot, holder, state, withCurrency } from "./accounts.js";
import { openAfresh, sendFrom } from "./sending.js";

const LONGEST = 20; // characters as people see them
let characters = null; // made when first needed, which takes long

/** The beginning of a name that is too long. Old browsers return all of it; the table checks it, too. */
function shortened(name) {
  if (name.length <= LONGEST || !Intl.Segmenter) return name;
  characters ??= new Intl.Segmenter();
  return [...characters.segment(name)].slice(0, LONGEST).map(({ segment }) => segment).join("");
}

/** `act(request, arguments)` returns why it failed, or "". */
export function hostPlayers(act) {
  const fields = document.getElementById("host-players");
  const dialog = document.getElementById("player-dialog");
  const waits = document.getElementById("player-waits");
  const rows = new Map();
  let table = {};
  let chosen = null;
  let game = null; // of the player who was chosen: nothing happens in another one

  function row(number) {
    const item = element("div", "", "naming");
    item.style.setProperty("--card", cardColour(number));
    const input = document.createElement("input");
    input.autocomplete = "off";
    input.spellcheck = false;
    input.addEventListener("input", ({ isComposing }) => {
      const cut = isComposing ? input.value : shortened(input.value);
      if (cut !== input.value) input.value = cut;
    });
    input.addEventListener("change", async () => {
      if (await act("name", { card: number, name: input.value.trim() })) input.value = input.dataset.name;
    });
    const more = element("button", "", "button");
    more.type = "button";
    more.addEventListener("click", () => {
      chosen = number;
      game = table.game;
      showMessage(waits, "");
      drawDialog();
      openAfresh(dialog);
    });
    item.append(element("span", number, "chip"), input, element("span", "", "where"), more);
    return item;
  }

  function fill(item, card) {
    const [input, more] = [item.querySelector("input"), item.querySelector("button")];
    input.dataset.name = card.name ?? "";
    input.setAttribute("aria-label", text("Name of {card}", { card: holder(card.number) }));
    if (document.activeElement !== input) input.value = card.name ?? "";
    item.querySelector(".where").textContent = state(card);
    more.textContent = text("Change …");
    more.setAttribute("aria-label", text("Change {who}", { who: holder(card.number, table) }));
  }

  /** The buttons that the player's state allows. */
  function drawDialog() {
    const card = table.cards.find(({ number }) => number === chosen);
    if (!card) return dialog.close();
    const isOut = card.retired || card.left;
    document.getElementById("player-title").textContent = capital(holder(chosen, table));
    document.getElementById("player-state").textContent = [withCurrency(card.shown, table), state(card)].filter(Boolean).join(", ");
    show("player-leave", !isOut);
    show("player-come_back", isOut);
    show("player-free", !card.retired);
    show("player-replace", hasSlot(table) && table.fitted.includes("keypad")); // GO confirms it
    document.getElementById("about-lost").textContent = text("A new card gets number {number} and its money. First take all cards out of the slots.", { number: chosen });
    document.getElementById("about-free").textContent = hasSlot(table)
      ? text("The player leaves for good. The next new card gets number {number} and the starting money.", { number: chosen })
      : text("The player leaves for good. Another phone can join with number {number} and the starting money.", { number: chosen });
  }

  for (const button of dialog.querySelectorAll("[data-request]")) {
    button.addEventListener("click", () => sendFrom(dialog, () => act(button.dataset.request, { game, card: chosen })));
  }
  document.getElementById("player-lost").addEventListener("click", async () => {
    const why = await act("replace", { game, card: chosen });
    showMessage(dialog.querySelector(".refusal"), why);
    showMessage(waits, why ? "" : text("Now put the new card into a slot, and press GO at the banker unit."));
  });

  return {
    table(now) {
      table = now;
      show("host-players", table.cards.length > 0);
      for (const card of table.cards) {
        if (!rows.has(card.number)) {
          rows.set(card.number, row(card.number));
          fields.append(...[...rows].sort(([a], [b]) => a - b).map(([, item]) => item));
        }
        fill(rows.get(card.number), card);
      }
      for (const [number, item] of rows) item.hidden = !table.cards.some((card) => card.number === number);
      if (dialog.open) drawDialog();
    },
  };
}
