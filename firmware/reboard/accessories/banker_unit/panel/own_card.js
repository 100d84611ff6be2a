// The card of the player who owns this phone, and the table's name of the phone. The browser remembers both.

const STORAGE_KEY = "reboard.card";

const listeners = [];
let [card, phone] = stored();

window.addEventListener("storage", ({ key }) => {
  if (key !== STORAGE_KEY) return;
  [card, phone] = stored(); // chosen in another tab
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

/** Whether this phone is the one that has the card at the table. */
export function isJoined(table) {
  return mayJoin(table) && Boolean(phone) && table.phones.cards[ownCard()] === phone;
}

/** Whether another phone has the card at the table. */
export function isTaken(table) {
  return mayJoin(table) && Boolean(phone) && (table.phones.cards[ownCard()] ?? phone) !== phone;
}

/** Set the number of the card, and the table's name of this phone if it has joined; null forgets it. */
export function chooseCard(number, name = "") {
  [card, phone] = [number, name];
  try {
    if (card === null) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, `${card} ${phone}`);
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
    const [number, name = ""] = (localStorage.getItem(STORAGE_KEY) ?? "").split(" ");
    return [Number(number) || null, name];
  } catch {
    return [null, ""];
  }
}
