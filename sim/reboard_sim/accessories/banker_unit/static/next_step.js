// The next step at the banker unit, as a sentence.

import { amount, text, withCurrency } from "/static/text.js";
import { rejection } from "/static/words.js";

const DIALOGS = {
  menu: text("Menu: a digit chooses, GO does it. GO alone shows the next entry, C closes"),
  offer: text("The display asks: GO does it, C drops it"),
  count: text("Final count: put in one card after the other, type what its property is worth. Without a card, 1 and GO end the game"),
  ranking: text("Ranking: GO shows the next player, C goes back"),
  pot: text("The bank pays into the pot: type the amount, enter it with M, then GO. C closes"),
  "new card": text("Put the new card into a slot, then press GO. C closes"),
};
const REJECTED = {
  "no funds": text("Not enough money, so nothing moved: type a smaller amount"),
  "no card": text("Nothing moved: put a card in first"),
  "unknown card": text("Too many cards: take this one out"),
  "same card twice": text("The same card is in both slots: take one out"),
  torn: text("Digits were lost: type the whole amount again"),
  "m enters": text("Nothing moved: M enters the amount. C clears it"),
  "not booked": text("Nothing moved: press and release GO on its own"),
  disk: text("Nothing moved: the disk could not save it. Try again"),
  "wrong slot": text("Nothing moved: put the card into the left slot. GO pays the left card"),
  "card out first": text("A phone asks to move money: take the cards out, then GO confirms, C rejects"),
};

/** Return what to do next, after the state of the devices, the number of the card that the user clicked, and the table. */
export function nextStep({ powered, devices, faults, slots, unit }, picked, { rules, cards, phones }) {
  if (!powered) return text("Switched off: “Power” switches it on");
  const sides = ["left", "right"].filter((side) => devices[`bank.${side}`]);
  if (picked !== null) return text("Click a slot for card {number}: left receives, right pays", { number: picked });
  const { left, right } = unit.slots ?? {};
  if (unit.asleep && (left || right)) return text("Asleep: C wakes it. Then type an amount");
  if (unit.asleep) return text("Asleep: drag a card into a slot. A key only wakes it");
  if (unit.dialog) return DIALOGS[unit.dialog];
  const beyond = Object.values(slots).find((card) => typeof card === "number" && !Object.values(unit.slots ?? {}).includes(card));
  if (unit.refused === "unknown card" && beyond) return text("This edition has fewer players, so no card {number}: take it out", { number: beyond });
  if (unit.refused) return REJECTED[unit.refused] ?? text("Nothing moved: {why}", { why: rejection(unit.refused) ?? unit.refused });
  const bankrupt = cards?.find(({ number, retired }) => retired && [left, right].includes(number));
  if (bankrupt) return text("Card {number} is bankrupt: take it out", { number: bankrupt.number });
  if (unit.typed?.startsWith("?")) return text("Digits were lost. C clears the amount; then type all of it again");
  if (unit.typed && (left || right)) return entering(unit, transfer(left, right));
  if (unit.typed) return text("Put in the card that receives (left) or pays (right). C clears the amount");
  if (unit.payments?.length && !left && !right) return text("A phone asks to move {amount}: GO confirms, C rejects", { amount: amount(unit.payments[0].shown) });
  if (unit.deal?.running) return text("Call out bids: the gavel falls 13 to 50 s after DEAL. C calls it off");
  if (left || right) return [typing(unit, capital(transfer(left, right))), left && rules ? paying(left, rules) : ""].filter(Boolean).join(". ");
  const unplugged = sides.find((side) => faults.includes(`reader ${side}`));
  if (unplugged === "left") return text("The reader of the left slot is unplugged: mend it under Faults");
  if (unplugged) return text("The reader of the right slot is unplugged: mend it under Faults");
  if (faults.includes("display")) return text("The display is unplugged: mend it under Faults");
  const released = sides.find((side) => slots[side] !== null && devices[`bank.${side}`].taps);
  if (released) return text("Take the card out");
  if (!sides.length && (phones?.pay ?? "off") !== "off") return text("Nothing is wired: the phones of the players are the bank. “Phone” invites them");
  if (!sides.length) return text("No card reader is wired: choose one in “Setup”");
  if (unit.ended) return text("The game is over: C, held for 3 s without cards, starts a new one");
  return text("Drag a card into a slot: left receives, right pays");
}

function entering({ units }, moves) {
  return units
    ? text("Press K (thousand) or M (million): {moves}. C clears the amount", { moves })
    : text("Press M (K adds two zeros): {moves}. C clears the amount", { moves });
}

function typing({ units }, moves) {
  return units ? text("{moves}: type an amount, then K or M", { moves }) : text("{moves}: type an amount, then M", { moves });
}

function paying(card, { currency, salary }) {
  return text("GO pays card {number} its salary ({amount})", { number: card, amount: withCurrency(salary, currency) });
}

function transfer(left, right) {
  if (left && right) return text("card {payer} pays card {receiver}", { payer: right, receiver: left });
  return left ? text("card {number} receives", { number: left }) : text("card {number} pays", { number: right });
}

function capital(words) {
  return words[0].toUpperCase() + words.slice(1);
}
