// The bank cards: in the rack, in the slots, and in between. Dragged, clicked, or moved with the arrow keys.

import { drawing } from "./art.js";
import { draggable } from "./drag.js";
import { hand } from "./hands.js";

const DECK = [1, 2, 3, 4, 5, 6, 7, 8];
const HUES = [4, 30, 46, 128, 178, 212, 264, 328];
const SIGNS = { left: "+, receives", right: "−, pays" };

export async function bankCards() {
  const rack = document.getElementById("rack");
  const slots = { left: document.getElementById("slot-left"), right: document.getElementById("slot-right") };
  const act = hand();
  const blank = await drawing("card");
  const cards = new Map();
  const inside = { left: null, right: null };
  let balances = new Map();
  let picked = null;

  function art(card) {
    const svg = blank();
    const number = DECK.includes(card);
    svg.classList.add("card-art");
    svg.classList.toggle("stranger", !number);
    svg.style.setProperty("--hue", number ? HUES[card - 1] : 30);
    svg.querySelector(".card-number").textContent = number ? card : "?";
    show(svg, card);
    return svg;
  }

  // the drawing stays: a finger that is on it while it is replaced would click nothing
  function show(where, card) {
    const there = where.querySelector(".card-shown");
    if (there) there.textContent = balances.get(card) ?? "";
  }

  function name(card) {
    if (!DECK.includes(card)) return "an unknown card";
    const shown = balances.get(card);
    return shown ? `card ${card}, ${shown}` : `card ${card}`;
  }

  function pick(card) {
    picked = picked === card ? null : card;
    for (const [number, button] of cards) button.setAttribute("aria-pressed", number === picked);
    for (const slot of Object.values(slots)) slot.classList.toggle("wanted", picked !== null);
    label();
  }

  function insert(card, side) {
    const from = Object.keys(inside).find((other) => inside[other] === card);
    if (from === side) return;
    if (from) act(`remove ${from}`);
    if (inside[side] !== null) act(`remove ${side}`);
    act(`insert ${side} ${card}`);
    if (picked !== null) pick(picked);
  }

  function label() {
    for (const [number, button] of cards) button.setAttribute("aria-label", `Bank ${name(number)}`);
    for (const [side, slot] of Object.entries(slots)) {
      const what = inside[side] === null ? "empty" : `${name(inside[side])}; click to take it out`;
      const wanted = picked === null ? what : `put card ${picked} in`;
      slot.setAttribute("aria-label", `${side === "left" ? "Left" : "Right"} slot (${SIGNS[side]}): ${wanted}`);
    }
  }

  function face(side) {
    const card = inside[side];
    slots[side].querySelector(".pocket").replaceChildren(...(card === null ? [] : [art(card)]));
  }

  const targets = {
    all: Object.values(slots),
    mark: (slot) => Object.values(slots).forEach((each) => each.classList.toggle("over", each === slot)),
  };

  for (const number of DECK) {
    const place = document.createElement("div");
    place.className = "place";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "card";
    button.dataset.card = number;
    button.setAttribute("aria-pressed", "false");
    button.append(art(number));
    place.append(button);
    rack.append(place);
    cards.set(number, button);

    draggable(button, targets, {
      ghost: () => art(number),
      dropped: (slot) => slot && insert(number, slot.dataset.slot),
      tapped: () => pick(number),
    });
    button.addEventListener("keydown", (event) => {
      if (event.key === "ArrowLeft") insert(number, "left");
      if (event.key === "ArrowRight") insert(number, "right");
    });
  }

  for (const [side, slot] of Object.entries(slots)) {
    draggable(slot, targets, {
      ghost: () => (inside[side] === null ? null : art(inside[side])),
      dropped: (target) => {
        if (target === slot) return;
        if (target && DECK.includes(inside[side])) insert(inside[side], target.dataset.slot);
        else act(`remove ${side}`);
      },
      tapped: () => {
        if (picked !== null) insert(picked, side);
        else if (inside[side] !== null) act(`remove ${side}`);
      },
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && picked !== null) pick(picked);
  });
  label();

  return {
    hardware({ slots: now, faults }) {
      for (const side of Object.keys(slots)) {
        slots[side].classList.toggle("unplugged", faults.includes(`reader ${side}`));
        if (now[side] === inside[side]) continue;
        inside[side] = now[side];
        face(side);
      }
      for (const [number, button] of cards) button.disabled = Object.values(inside).includes(number);
      label();
    },
    table({ cards: known }) {
      if (!known) return; // no power, no memory of them: the last that was seen stays
      const shown = new Map(known.map((card) => [card.number, card.shown]));
      if (JSON.stringify([...shown]) === JSON.stringify([...balances])) return;
      balances = shown;
      for (const [number, button] of cards) show(button, number);
      for (const side of Object.keys(slots)) show(slots[side], inside[side]);
      label();
    },
  };
}
