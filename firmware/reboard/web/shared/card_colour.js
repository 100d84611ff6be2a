// The colours of the bank cards, which art.css defines.

/** The colour of card 1 to 8, for a style. */
export function cardColour(card) {
  return `var(--card-${card})`;
}
