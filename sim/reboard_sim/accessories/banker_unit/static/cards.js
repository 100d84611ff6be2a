// The bank cards in rack and slots. The user drags or clicks them, or moves them with the arrow keys.

import { drawing } from "/static/art.js";
import { cardColour } from "/static/card_colour.js";
import { draggable } from "/static/drag.js";
import { lineQueue } from "/static/line_queue.js";
import { isForTable } from "/static/shortcuts.js";
import { amount, text, withColon } from "/static/text.js";

const DECK = [1, 2, 3, 4, 5, 6, 7, 8];
const BETWEEN_TAPS = "wait 0.3"; // earlier, the unit takes a second tap of the same card as the first one
const SIGNS = { left: text("Left slot (+, receives)"), right: text("Right slot (−, pays)") };

/** Call `onPick()` when the user picks a card, or puts it back. */
export function bankCards(onPick) {
  const rack = document.getElementById("rack");
  const slots = { left: document.getElementById("slot-left"), right: document.getElementById("slot-right") };
  const act = lineQueue();
  const blank = drawing("bank/card");
  const cards = new Map();
  const tags = new Map(); // the name of each tag that a reader brings, by its digits
  const inserted = { left: null, right: null }; // the card in each slot
  const registered = { left: null, right: null }; // the card that the unit has registered
  const drawn = { left: null, right: null }; // the card that the page shows
  let taps = [];
  let players = new Map();
  let most = DECK.length; // the most cards of the edition
  let picked = null;

  function art(card) {
    const svg = blank();
    const number = DECK.includes(card);
    svg.classList.add("card-art");
    svg.classList.toggle("stranger", !number);
    if (number) svg.style.setProperty("--card", cardColour(card));
    svg.querySelector(".card-number").textContent = number ? card : (tags.get(card) ?? "?").slice(0, 1);
    show(svg, card);
    return svg;
  }

  // replacing the drawing would lose a click that has begun on it
  function show(where, card) {
    const there = where.querySelector(".card-shown");
    if (there) there.textContent = players.get(card)?.shown ?? "";
  }

  function name(card) {
    if (!DECK.includes(card)) return tags.get(card) ?? text("an unknown card");
    const player = players.get(card);
    return [text("card {number}", { number: card }), player?.name, player?.shown, card > most && text("not in this edition")].filter(Boolean).join(", ");
  }

  function pick(card) {
    picked = picked === card ? null : card;
    for (const [number, button] of cards) button.setAttribute("aria-pressed", number === picked);
    markSlots();
    label();
    onPick();
  }

  function markSlots() {
    for (const slot of Object.values(slots)) slot.classList.toggle("wanted", picked !== null && !slot.disabled);
  }

  function insert(card, side) {
    const from = Object.keys(drawn).find((other) => drawn[other] === card);
    if (from === side) return;
    if (from) takeOut(from);
    if (inserted[side] !== null) act(`remove ${side}`);
    put(card, side);
    if (picked !== null) pick(picked);
  }

  // the user taps cards on a reader that speaks once: the card is in until the unit releases it, or until the next tap
  function put(card, side) {
    act(`insert ${side} ${DECK.includes(card) ? card : `tag ${card}`}`);
    if (taps.includes(side)) act(`remove ${side}`, BETWEEN_TAPS);
  }

  function takeOut(side) {
    if (inserted[side] !== null) act(`remove ${side}`);
    if (taps.includes(side) && registered[side] !== null) put(registered[side], side);
  }

  function state(side) {
    if (slots[side].disabled) return text("no reader");
    if (picked !== null) return text("put card {number} in", { number: tags.get(picked) ?? picked });
    return drawn[side] === null ? text("empty") : text("{card}; click to take it out", { card: name(drawn[side]) });
  }

  function label() {
    for (const [number, button] of cards) {
      const isSpare = DECK.includes(number) && number > most;
      button.setAttribute("aria-label", tags.get(number) ?? text("Bank {card}", { card: name(number) }));
      button.title = isSpare ? text("Not in this edition") : tags.get(number) ?? players.get(number)?.name ?? "";
      button.classList.toggle("spare", isSpare);
    }
    for (const [side, slot] of Object.entries(slots)) {
      slot.dataset.state = state(side);
      slot.setAttribute("aria-label", withColon(SIGNS[side], slot.dataset.state));
    }
  }

  function drawCards() {
    for (const [side, slot] of Object.entries(slots)) {
      const tapped = taps.includes(side);
      slot.classList.toggle("let-go", tapped && inserted[side] !== null && inserted[side] !== registered[side]);
      const card = inserted[side] ?? (tapped ? registered[side] : null);
      if (card === drawn[side]) continue;
      drawn[side] = card;
      slot.querySelector(".pocket").replaceChildren(...(card === null ? [] : [art(card)]));
      if (document.activeElement === cards.get(card)) slot.focus();
    }
    for (const [number, button] of cards) button.disabled = Object.values(drawn).includes(number);
    label();
  }

  const targets = {
    area: document.getElementById("unit"),
    home: rack,
    get all() {
      return Object.values(slots).filter((slot) => !slot.disabled);
    },
    mark: (slot) => Object.values(slots).forEach((each) => each.classList.toggle("over", each === slot)),
  };

  function addCard(card) {
    const place = document.createElement("div");
    place.className = "place";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "card";
    button.dataset.card = card;
    button.setAttribute("aria-pressed", "false");
    button.append(art(card));
    place.append(button);
    rack.append(place);
    cards.set(card, button);
    rack.style.setProperty("--cards", cards.size);

    draggable(button, targets, {
      ghost: () => art(card),
      dropped: (slot) => slot && insert(card, slot.dataset.slot),
      tapped: () => pick(card),
    });
    button.addEventListener("keydown", (event) => {
      if (event.key === "ArrowLeft") insert(card, "left");
      if (event.key === "ArrowRight") insert(card, "right");
    });
  }

  DECK.forEach(addCard);

  for (const [side, slot] of Object.entries(slots)) {
    draggable(slot, targets, {
      ghost: () => (drawn[side] === null ? null : art(drawn[side])),
      dropped: (target) => {
        if (target === slot) return;
        if (target && cards.has(drawn[side])) insert(drawn[side], target.dataset.slot);
        else takeOut(side);
      },
      tapped: () => {
        if (picked !== null) insert(picked, side);
        else takeOut(side);
      },
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && picked !== null && isForTable(event)) pick(picked);
  });
  label();

  return {
    get picked() {
      return picked;
    },
    hardware(now) {
      const readers = Object.fromEntries(Object.keys(slots).map((side) => [side, now.devices[`bank.${side}`]]));
      taps = Object.keys(readers).filter((side) => readers[side]?.taps);
      Object.assign(inserted, now.slots);
      for (const [tag, digits] of Object.values(readers).flatMap((reader) => Object.entries(reader?.tags ?? {}))) {
        if (tags.has(digits)) continue;
        tags.set(digits, tag);
        addCard(digits);
      }
      for (const [side, slot] of Object.entries(slots)) {
        slot.disabled = !readers[side];
        slot.classList.toggle("unplugged", now.faults.includes(`reader ${side}`));
      }
      markSlots();
      drawCards();
    },
    table({ cards: known, slots: now, powered, rules }) {
      Object.assign(registered, now);
      drawCards();
      if (!powered) return; // without power there is no news: the last state stays
      const seen = new Map(known.map(({ number, name, shown }) => [number, { name, shown: amount(shown) }]));
      if (most === rules.players.most && JSON.stringify([...seen]) === JSON.stringify([...players])) return;
      most = rules.players.most;
      players = seen;
      for (const [number, button] of cards) show(button, number);
      for (const side of Object.keys(slots)) show(slots[side], drawn[side]);
      label();
    },
  };
}
