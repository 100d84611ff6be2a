// The next step at the banker unit, as a sentence.

import { rejection } from "/static/words.js";

const MEND = "mend it under Faults";
const DIALOGS = {
  menu: "Menu: a digit chooses, GO does it. GO alone shows the next entry, C closes",
  offer: "The display asks: GO does it, C drops it",
  count: "Final count: put in one card after the other, type what its property is worth. Without a card, 1 and GO end the game",
  ranking: "Ranking: GO shows the next player, C goes back",
  pot: "The bank pays into the pot: type the amount, enter it with M, then GO. C closes",
  "new card": "Put the new card into a slot, then press GO. C closes",
};
const REJECTED = {
  "no funds": "Not enough money, so nothing moved: type a smaller amount",
  "no card": "Nothing moved: put a card in first",
  "unknown card": "The unit does not know this card: take it out",
  "same card twice": "The same card is in both slots: take one out",
  torn: "Digits were lost: type the whole amount again",
  "m enters": "Nothing moved: M enters the amount. C clears it",
  "not booked": "Nothing moved: press and release GO on its own",
  "wrong slot": "Nothing moved: put the card into the left slot. GO pays the left card",
  "card out first": "A phone asks to move money: take the cards out, then GO confirms, C rejects",
};

/** Return what to do next. `now` is the state of the devices, `picked` the number of the card that the user clicked. */
export function nextStep({ powered, devices, faults, slots, unit }, picked, rules) {
  if (!powered) return "Switched off: “Power” switches it on";
  const sides = ["left", "right"].filter((side) => devices[`bank.${side}`]);
  if (picked !== null) return `Click a slot for card ${picked}: left receives, right pays`;
  if (unit.asleep) return "Asleep: the first key only wakes it";
  if (unit.dialog) return DIALOGS[unit.dialog];
  const beyond = Object.values(slots).find((card) => typeof card === "number" && !Object.values(unit.slots ?? {}).includes(card));
  if (unit.refused === "unknown card" && beyond) return `This edition has fewer players, so no card ${beyond}: take it out`;
  const { left, right } = unit.slots ?? {};
  if (unit.refused) return REJECTED[unit.refused] ?? `Nothing moved: ${rejection(unit.refused) ?? unit.refused}`;
  if (unit.typed?.startsWith("?")) return "Digits were lost. C clears the amount; then type all of it again";
  if (unit.typed && (left || right)) return `${entering(unit)}: ${transfer(left, right)}. C clears the amount`;
  if (unit.typed) return "Put in the card that receives (left) or pays (right). C clears the amount";
  if (unit.payments?.length && !left && !right) return `A phone asks to move ${unit.payments[0].shown}: GO confirms, C rejects`;
  if (unit.deal?.running) return "Call out bids: the gavel falls 13 to 50 s after DEAL. C calls it off";
  if (left || right) return `${capital(transfer(left, right))}: type an amount, then ${unit.units ? "K or M" : "M"}${left && rules ? `. GO pays card ${left} its salary (${rules.currency}${rules.salary})` : ""}`;
  const unplugged = sides.find((side) => faults.includes(`reader ${side}`));
  if (unplugged) return `The reader of the ${unplugged} slot is unplugged: ${MEND}`;
  if (faults.includes("display")) return `The display is unplugged: ${MEND}`;
  const released = sides.find((side) => slots[side] !== null && devices[`bank.${side}`].taps);
  if (released) return "Take the card out";
  if (!sides.length) return "No card reader is wired: “Setup” loads another table";
  if (unit.ended) return "The game is over: C, held for 3 s without cards, starts a new one";
  return "Drag a card into a slot: left receives, right pays";
}

function entering({ units }) {
  return units ? "Press K (thousand) or M (million)" : "Press M (K adds two zeros)";
}

function transfer(left, right) {
  if (left && right) return `card ${right} pays card ${left}`;
  return left ? `card ${left} receives` : `card ${right} pays`;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
