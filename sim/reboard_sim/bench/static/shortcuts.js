// Keys that mean the table, wherever the focus is.

/** Whether a key is for the table: not one of the browser's, nothing that is typed, and no dialog is in front. */
export function isForTable(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return !event.target.closest?.("input, select, textarea") && !document.querySelector("dialog[open]");
}
