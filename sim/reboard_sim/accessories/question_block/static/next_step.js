// The next step at the question block, as a sentence.

import { plural, text } from "/static/text.js";
import { capital, outcomeName } from "/static/words.js";

const OUTCOMES = {
  coins: ({ coins }) => plural("Take 1 coin from the bank", "Take {n} coins from the bank", coins),
  power_up: () => text("Power-up: roll and move again"),
  laugh: () => text("A laugh: pay the bank"),
  game_over: () => text("The game-over sound: pay the bank more"),
};

/** Return what to do next. `now` is the state of the devices, `last` the last outcome or null. */
export function nextStep({ powered, faults }, last) {
  if (!powered) return text("Switched off");
  if (faults.includes("stuck block")) return text("The button is stuck: mend it under Faults");
  if (!last) return text("Press me");
  return OUTCOMES[last.outcome]?.(last) ?? capital(outcomeName(last.outcome));
}
