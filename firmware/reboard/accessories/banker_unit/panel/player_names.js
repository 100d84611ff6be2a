// The host's fields for the names of the players.

import { cardColour } from "/static/card_colour.js";
import { element, show } from "/static/element.js";
import { text } from "/static/language.js";

import { holder } from "./accounts.js";

const LONGEST = 8; // as on the display

/** `act(request, arguments)` returns why it failed, or "". */
export function playerNames(act) {
  const fields = document.getElementById("names");
  const inputs = new Map();

  function field(number) {
    const label = element("label", "", "naming");
    label.style.setProperty("--card", cardColour(number));
    const input = document.createElement("input");
    input.maxLength = LONGEST;
    input.autocomplete = "off";
    input.spellcheck = false;
    input.addEventListener("change", async () => {
      if (await act("name", { card: number, name: input.value.trim() })) input.value = input.dataset.name;
    });
    label.append(element("span", number, "chip"), input);
    return input;
  }

  return {
    table({ cards }) {
      show("names", cards.length > 0);
      for (const { number, name } of cards) {
        if (!inputs.has(number)) {
          inputs.set(number, field(number));
          fields.append(...[...inputs].sort(([a], [b]) => a - b).map(([, input]) => input.parentElement));
        }
        const input = inputs.get(number);
        input.dataset.name = name ?? "";
        input.setAttribute("aria-label", text("nameOf", { card: holder(number) }));
        if (document.activeElement !== input) input.value = name ?? "";
      }
      for (const [number, input] of inputs) {
        input.parentElement.hidden = !cards.some((card) => card.number === number);
      }
    },
  };
}
