// A card slot on the bench: a button for each card of the deck, which inserts the card or removes it.

import { text } from "/static/text.js";

const CARDS = ["1", "2", "3", "4", "5", "6", "7", "8"];

export default function cardSlot({ label, title }, act) {
  const element = document.createElement("div");
  element.className = "deck";
  element.role = "group";
  element.ariaLabel = title;
  const buttons = CARDS.map((card) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "pill";
    button.textContent = card;
    button.ariaLabel = text("card {number}", { number: card });
    button.addEventListener("click", () => {
      act(button.getAttribute("aria-pressed") === "true" ? `remove ${label}` : `insert ${label} ${card}`);
    });
    return button;
  });
  element.append(...buttons);
  return {
    element,
    size: "broad",
    show({ name }) {
      for (const button of buttons) button.setAttribute("aria-pressed", button.textContent === name);
    },
  };
}
