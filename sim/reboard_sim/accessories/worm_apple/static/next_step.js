// The next step at the worm apple, as a sentence.

/** Return what to do next. `now` is the state of the devices, `apple` that of the apple. */
export function nextStep({ powered, faults }, apple) {
  if (!powered) return "Switched off";
  if (faults.includes("stuck lever")) return "The lever is stuck: mend it under Faults";
  if (apple?.running) return "Players take one worm at a time";
  return apple?.wound ? "Wound: let go" : "Pull the lever all the way back, and let go";
}
