// Who has won, once the host has ended the game.

import { hue } from "/static/hues.js";

import { whose, withCurrency } from "./amounts.js";
import { element, show } from "./element.js";
import { text } from "./language.js";

export function ranking() {
  const list = document.getElementById("places");

  return {
    table(table) {
      show("ranking", table.ended != null);
      list.replaceChildren(...(table.ended?.ranking ?? []).map((player) => place(player, table)));
    },
  };
}

function place({ place: number, number: card, shown }, table) {
  const item = element("li", "", number === 1 ? "winner" : "");
  item.style.setProperty("--hue", hue(card));
  const medal = element("span", `${number}.`, "medal");
  medal.setAttribute("aria-hidden", "true");
  const told = element("span", text("place", { place: number }), "unseen");
  item.append(told, medal, element("span", whose(card, table), "name"), element("span", withCurrency(shown, table), "balance"));
  return item;
}
