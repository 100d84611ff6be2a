// The bank cards: in the rack, in the slots, and in between. Dragged, clicked, or moved with the arrow keys.

import { drawing } from "/static/art.js";
import { hue } from "/static/hues.js";

import { draggable } from "./drag.js";
import { hand } from "./hands.js";
import { isForTable } from "./shortcuts.js";

const DECK = [1, 2, 3, 4, 5, 6, 7, 8];
const NOT_AT_ONCE = "wait 0.3"; // the same card a second later is another tap, sooner it is the same one
const SIGNS = { left: "+, receives", right: "−, pays" };

export async function bankCards() {
  const rack = document.getElementById("rack");
  const slots = { left: document.getElementById("slot-left"), right: document.getElementById("slot-right") };
  const help = document.getElementById("cards-help");
  const off = document.getElementById("bank-off");
  const act = hand();
  const blank = await drawing("card");
  const cards = new Map();
  const lying = { left: null, right: null }; // what a slot has
  const seated = { left: null, right: null }; // what the unit takes to be in it
  const faces = { left: null, right: null }; // what is drawn there
  let taps = [];
  let players = new Map();
  let picked = null;

  function art(card) {
    const svg = blank();
    const number = DECK.includes(card);
    svg.classList.add("card-art");
    svg.classList.toggle("stranger", !number);
    if (number) svg.style.setProperty("--hue", hue(card));
    svg.querySelector(".card-number").textContent = number ? card : "?";
    show(svg, card);
    return svg;
  }

  // the drawing stays: a finger that is on it while it is replaced would click nothing
  function show(where, card) {
    const there = where.querySelector(".card-shown");
    if (there) there.textContent = players.get(card)?.shown ?? "";
  }

  function name(card) {
    if (!DECK.includes(card)) return "an unknown card";
    const player = players.get(card);
    return [`card ${card}`, player?.name, player?.shown].filter(Boolean).join(", ");
  }

  function pick(card) {
    picked = picked === card ? null : card;
    for (const [number, button] of cards) button.setAttribute("aria-pressed", number === picked);
    beckon();
    label();
  }

  function beckon() {
    for (const slot of Object.values(slots)) slot.classList.toggle("wanted", picked !== null && !slot.disabled);
  }

  function insert(card, side) {
    const from = Object.keys(faces).find((other) => faces[other] === card);
    if (from === side) return;
    if (from) takeOut(from);
    if (lying[side] !== null) act(`remove ${side}`);
    put(card, side);
    if (picked !== null) pick(picked);
  }

  // a reader that speaks once is tapped: the card is in until the unit lets it go, or until the next tap
  function put(card, side) {
    act(`insert ${side} ${card}`);
    if (taps.includes(side)) act(`remove ${side}`, NOT_AT_ONCE);
  }

  function takeOut(side) {
    if (lying[side] !== null) act(`remove ${side}`);
    if (taps.includes(side) && seated[side] !== null) put(seated[side], side);
  }

  function state(side) {
    if (slots[side].disabled) return "no reader";
    if (picked !== null) return `put card ${picked} in`;
    return faces[side] === null ? "empty" : `${name(faces[side])}; click to take it out`;
  }

  function label() {
    for (const [number, button] of cards) {
      button.setAttribute("aria-label", `Bank ${name(number)}`);
      button.title = players.get(number)?.name ?? "";
    }
    for (const [side, slot] of Object.entries(slots)) {
      slot.setAttribute("aria-label", `${side === "left" ? "Left" : "Right"} slot (${SIGNS[side]}): ${state(side)}`);
    }
  }

  function face() {
    for (const [side, slot] of Object.entries(slots)) {
      const tapped = taps.includes(side);
      slot.classList.toggle("let-go", tapped && lying[side] !== null && lying[side] !== seated[side]);
      const card = lying[side] ?? (tapped ? seated[side] : null);
      if (card === faces[side]) continue;
      faces[side] = card;
      slot.querySelector(".pocket").replaceChildren(...(card === null ? [] : [art(card)]));
      if (document.activeElement === cards.get(card)) slot.focus();
    }
    for (const [number, button] of cards) button.disabled = Object.values(faces).includes(number);
    label();
  }

  const targets = {
    get all() {
      return Object.values(slots).filter((slot) => !slot.disabled);
    },
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
      ghost: () => (faces[side] === null ? null : art(faces[side])),
      dropped: (target) => {
        if (target === slot) return;
        if (target && DECK.includes(faces[side])) insert(faces[side], target.dataset.slot);
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
    hardware(now) {
      taps = now.taps;
      help.hidden = !now.powered;
      off.hidden = now.powered;
      Object.assign(lying, now.slots);
      for (const [side, slot] of Object.entries(slots)) {
        slot.disabled = !now.readers.includes(side);
        slot.classList.toggle("unplugged", now.faults.includes(`reader ${side}`));
      }
      beckon();
      face();
    },
    table({ cards: known, slots: now, powered }) {
      Object.assign(seated, now);
      face();
      if (!powered) return; // no memory of them: the last that was seen stays
      const seen = new Map(known.map(({ number, name, shown }) => [number, { name, shown }]));
      if (JSON.stringify([...seen]) === JSON.stringify([...players])) return;
      players = seen;
      for (const [number, button] of cards) show(button, number);
      for (const side of Object.keys(slots)) show(slots[side], faces[side]);
      label();
    },
  };
}
