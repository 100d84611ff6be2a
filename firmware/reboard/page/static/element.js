// Elements, made with text: never with markup, whatever somebody calls a player.

/** A new element of a kind, with a text and a class. */
export function element(kind, text = "", className = "") {
  const made = document.createElement(kind);
  made.textContent = text;
  made.className = className;
  return made;
}

/** Show an element, or hide it. */
export function show(id, shown) {
  document.getElementById(id).hidden = !shown;
}
