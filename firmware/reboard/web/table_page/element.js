// Elements with text. Never use markup: players choose their names.

/** A new element with a text and a class. */
export function element(kind, text = "", className = "") {
  const made = document.createElement(kind);
  made.textContent = text;
  made.className = className;
  return made;
}

/** Show or hide an element. */
export function show(id, isShown) {
  document.getElementById(id).hidden = !isShown;
}

/** Show a message in an element, and hide the element while there is none. */
export function showMessage(place, message) {
  place.textContent = message;
  place.hidden = !message;
}
