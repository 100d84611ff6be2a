// The ranking of a game that has ended: what each player has in cash and in property. It can be shared as a picture.

import { cardColour } from "/static/card_colour.js";
import { element, show } from "/static/element.js";
import { titleOf } from "/static/language.js";
import { spoken, text } from "/static/text.js";
import { capital } from "/static/words.js";

import { holder, money, withCurrency } from "./accounts.js";
import { rankingPicture } from "./ranking_picture.js";

const PIECES = 40;
const CELEBRATED_MS = 6000; // as in panel.css

export function ranking() {
  const sheet = document.getElementById("ranking");
  const list = document.getElementById("places");
  const share = document.getElementById("share-ranking");
  let table = null;

  share.addEventListener("click", async () => {
    const heading = `${titleOf(table)} · ${new Date().toLocaleDateString(spoken(), { dateStyle: "long" })}`;
    const file = await rankingPicture(text("Game over"), heading, players(table));
    if (isShared(file)) await navigator.share({ files: [file], title: text("Game over") }).catch(() => {}); // cancelled
    else save(file);
  });

  return {
    table(now) {
      const isNew = table && !table.ended && now.ended && table.game === now.game;
      table = now;
      show("ranking", table.ended != null);
      share.textContent = isShared(new File([], "", { type: "image/png" })) ? text("Share") : text("Save picture");
      list.replaceChildren(...(table.ended ? players(table).map(row) : []));
      if (isNew) celebrate(sheet);
    },
  };
}

/** The players in order of their places, in words; the bankrupt ones at the end, without a place. */
function players(table) {
  const shown = (amount) => withCurrency(money(amount, table), table);
  const ranked = table.ended.ranking.map(({ place, number, worth, shown: total }) => {
    const cash = table.cards.find((card) => card.number === number)?.balance ?? 0;
    const parts = text("{cash} cash + {property} property", { cash: shown(cash), property: shown(worth - cash) });
    return { place, number, name: capital(holder(number, table)), parts, total: withCurrency(total, table) };
  });
  const isRanked = (number) => ranked.some((player) => player.number === number);
  const bankrupt = table.cards
    .filter(({ number, retired }) => retired && !isRanked(number))
    .map(({ number }) => ({ place: null, number, name: capital(holder(number, table)), parts: text("bankrupt"), total: "" }));
  return [...ranked, ...bankrupt];
}

function row({ place, number, name, parts, total }) {
  const item = element("li", "", place === 1 ? "winner" : "");
  const card = element("span", number, "chip");
  card.style.setProperty("--card", cardColour(number));
  const medal = element("span", place ? `${place}.` : "", "medal");
  medal.setAttribute("aria-hidden", "true");
  item.append(medal, card, element("span", name, "name"), element("span", total, "balance"), element("span", parts, "parts"));
  if (place) item.prepend(element("span", text("Place {place}", { place }), "unseen"));
  return item;
}

/** Paper in the colours of the cards rains over the ranking. */
function celebrate(sheet) {
  const rain = element("div", "", "confetti");
  rain.setAttribute("aria-hidden", "true");
  for (let i = 0; i < PIECES; i += 1) {
    const piece = document.createElement("i");
    piece.style.setProperty("--card", cardColour(1 + (i % 8)));
    piece.style.setProperty("--x", Math.random());
    piece.style.setProperty("--wait", Math.random());
    piece.style.setProperty("--turn", Math.random());
    rain.append(piece);
  }
  sheet.append(rain);
  setTimeout(() => rain.remove(), CELEBRATED_MS);
}

// browsers share only from https and localhost
function isShared(file) {
  return Boolean(navigator.canShare?.({ files: [file] }));
}

function save(file) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}
