// A card slot on the bench: a button for each card of the deck and each tag of the reader, which inserts it or removes it.

import { text } from "/static/text.js";

const CARDS = ["1", "2", "3", "4", "5", "6", "7", "8"];

export default function cardSlot({ label, title }, act) {
  const element = document.createElement("div");
  const buttons = new Map(); // by the name of the card in plays
  element.className = "deck";
  element.role = "group";
  element.ariaLabel = title;

  function add(card, shown, name) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "pill";
    button.textContent = shown;
    button.ariaLabel = name;
    button.addEventListener("click", () => {
      act(button.getAttribute("aria-pressed") === "true" ? `remove ${label}` : `insert ${label} ${card}`);
    });
    buttons.set(card, button);
    element.append(button);
  }

  for (const card of CARDS) add(card, card, text("card {number}", { number: card }));
  return {
    element,
    size: "broad",
    show({ name, tags = {} }) {
      for (const [tag, digits] of Object.entries(tags)) if (!buttons.has(`tag ${digits}`)) add(`tag ${digits}`, tag, tag);
      for (const [card, button] of buttons) button.setAttribute("aria-pressed", card === name);
    },
  };
}
