// Keys of the computer's keyboard that act without a control. Users of speech input press keys by accident, so each is off
// on request, or acts only while its accessory has the focus (WCAG 2.1.4).

/** Return whether a key is a shortcut: no modifier, no text field with the focus, and no open dialog. */
export function isForTable(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return !event.target.closest?.("input, select, textarea") && !document.querySelector("dialog[open]");
}
