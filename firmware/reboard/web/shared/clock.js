// Times at the table, on the bench and on the table page alike.

const DIGITS = 6; // of the times that the table reports, in seconds

/** Format seconds as 3:07, or 1:03:07.250: with so many `digits` after the point, in groups of three. */
export function clockTime(t, digits = 0) {
  const scale = 10 ** Math.max(DIGITS, digits);
  const whole = Math.round(Math.abs(t) * scale); // so that 2.9999999 is 3, not 2
  const parts = Math.floor(whole / (scale / 10 ** digits));
  const seconds = Math.floor(parts / 10 ** digits);
  const fraction = String(parts % 10 ** digits).padStart(digits, "0").replace(/(\d{3})(?=\d)/g, "$1\u202f");
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  const clock = minutes < 60 ? `${minutes}:` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:`;
  return `${t < 0 && parts ? "−" : ""}${clock}${two(seconds % 60)}${digits ? `.${fraction}` : ""}`;
}
