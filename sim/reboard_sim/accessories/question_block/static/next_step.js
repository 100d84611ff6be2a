// The next step at the question block, as a sentence.

import { plural, text } from "/static/text.js";
import { capital, outcomeName } from "/static/words.js";

const OUTCOMES = {
  coins: ({ coins }) => plural("Take 1 coin from the bank", "Take {n} coins from the bank", coins),
  power_up: () => text("Power-up: roll and move again"),
  laugh: () => text("A laugh: pay the bank"),
  game_over: () => text("The game-over sound: pay the bank more"),
};

const BOOKED = {
  coins: ({ coins }) => plural("1 coin: the bank has made the transfer", "{n} coins: the bank has made the transfer", coins),
  laugh: () => text("A laugh: the bank has made the transfer"),
  game_over: () => text("The game-over sound: the bank has made the transfer"),
};

/**
 * Return what to do next. `now` is the state of the devices, `last` the last outcome or null. `isBooked`: the banker unit has
 * moved its money.
 */
export function nextStep({ powered, faults }, last, isBooked) {
  if (!powered) return text("Switched off");
  if (faults.includes("stuck block")) return text("The button is stuck: mend it under Faults");
  if (!last) return text("Press me");
  return (isBooked && BOOKED[last.outcome] || OUTCOMES[last.outcome])?.(last) ?? capital(outcomeName(last.outcome));
}
