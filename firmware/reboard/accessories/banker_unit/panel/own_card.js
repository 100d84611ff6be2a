// The card of the player who owns this phone. The browser remembers it.

const STORAGE_KEY = "reboard.card";

const listeners = [];
let card = stored();

window.addEventListener("storage", ({ key }) => {
  if (key !== STORAGE_KEY) return;
  card = stored(); // chosen in another tab
  changed();
});

/** The number of the card, or null. The TV view belongs to all players. */
export function ownCard() {
  return document.body.dataset.view === "tv" ? null : card;
}

/** Whether phones may pay at this table, and need a card for it. */
export function mayJoin({ phones }) {
  return (phones?.pay ?? "off") !== "off";
}

/** Whether the table knows a phone with this card. */
export function isJoined(table) {
  return mayJoin(table) && table.phones.cards.includes(ownCard());
}

/** Set the number of the card; null forgets it. */
export function chooseCard(number) {
  card = number;
  try {
    if (card === null) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, card);
  } catch {
    // the choice holds until the page is closed
  }
  changed();
}

/** Call a function after each change. */
export function onOwnCard(listener) {
  listeners.push(listener);
}

function changed() {
  for (const listener of listeners) listener();
}

// a browser that stores nothing throws
function stored() {
  try {
    return Number(localStorage.getItem(STORAGE_KEY)) || null;
  } catch {
    return null;
  }
}
