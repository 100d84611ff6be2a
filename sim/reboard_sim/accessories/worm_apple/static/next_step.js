// The next step at the worm apple, as a sentence.

import { text } from "/static/text.js";

/** Return what to do next. `now` is the state of the devices, `apple` that of the apple. */
export function nextStep({ powered, faults }, apple) {
  if (!powered) return text("Switched off");
  if (faults.includes("stuck lever")) return text("The lever is stuck: mend it under Faults");
  if (apple?.running) return text("Players take one worm at a time");
  return apple?.wound ? text("Wound up: let go") : text("Pull the lever all the way back, and let go");
}
