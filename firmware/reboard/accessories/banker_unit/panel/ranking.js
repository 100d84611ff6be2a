// The ranking of a game that has ended.

import { element, show } from "/static/element.js";
import { hue } from "./hues.js";
import { text } from "/static/language.js";

import { holder, withCurrency } from "./accounts.js";

export function ranking() {
  const list = document.getElementById("places");

  return {
    table(table) {
      show("ranking", table.ended != null);
      list.replaceChildren(...(table.ended?.ranking ?? []).map((player) => row(player, table)));
    },
  };
}

function row({ place, number, shown }, table) {
  const item = element("li", "", place === 1 ? "winner" : "");
  item.style.setProperty("--hue", hue(number));
  const medal = element("span", `${place}.`, "medal");
  medal.setAttribute("aria-hidden", "true");
  const name = element("span", holder(number, table), "name");
  item.append(element("span", text("place", { place }), "unseen"), medal, name, element("span", withCurrency(shown, table), "balance"));
  return item;
}
