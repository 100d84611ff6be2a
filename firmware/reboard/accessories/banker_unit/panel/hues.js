// The colours of the bank cards: hues of HSL, in degrees.

const HUES = [4, 30, 46, 128, 178, 212, 264, 328];

/** The hue of card 1 to 8. */
export function hue(card) {
  return HUES[(card - 1) % HUES.length];
}
