// Keyboard shortcuts of the table, which work wherever the focus is.

/** Return whether a key is a shortcut: no modifier, no text field with the focus, and no open dialog. */
export function isForTable(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return !event.target.closest?.("input, select, textarea") && !document.querySelector("dialog[open]");
}
