// Keys of the computer's keyboard that act without a control. Users of speech input press keys by accident, so each is off
// on request, or acts only while its accessory has the focus (WCAG 2.1.4).

/** Return whether a key is a shortcut: no modifier, no text field with the focus, and no open dialog. */
export function isForTable(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return !event.target.closest?.("input, select, textarea") && !document.querySelector("dialog[open]");
}

/** Return a function that returns whether a checkbox is on. The browser remembers it. */
export function choice(id) {
  const box = document.getElementById(id);
  const key = `reboard.${id}`;
  try {
    box.checked = JSON.parse(localStorage.getItem(key)) ?? box.checked;
  } catch {
    // a browser that stores nothing
  }
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(key, box.checked);
    } catch {
      // the choice holds until the page is closed
    }
  });
  return () => box.checked;
}
