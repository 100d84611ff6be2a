// The next step at the question block, as a sentence.

const OUTCOMES = {
  coins: ({ coins }) => `${coins === 1 ? "1 coin" : `${coins} coins`} from the bank. Press for the next`,
  power_up: () => "Power-up: roll and move again",
  laugh: () => "A laugh: pay the bank",
  game_over: () => "Game over: pay the bank more",
};

/** Return what to do next. `now` is the state of the devices, `last` the last outcome or null. */
export function nextStep({ powered, faults }, last) {
  if (!powered) return "Switched off";
  if (faults.includes("stuck block")) return "The button is stuck: mend it under Faults";
  return last ? OUTCOMES[last.outcome](last) : "Press me";
}
