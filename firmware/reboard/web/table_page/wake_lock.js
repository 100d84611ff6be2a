// Keeps the screen on while the page is visible. Browsers offer that only to a page that came encrypted, or from this
// machine: the choice is shown only there.

export function wakeLock() {
  const field = document.getElementById("screen-on");
  let lock = null;
  if (!navigator.wakeLock) return;
  field.parentElement.hidden = false;
  field.addEventListener("change", update);
  document.addEventListener("visibilitychange", update); // a hidden page has lost its lock

  async function update() {
    await lock?.release();
    lock = null;
    if (!field.checked || document.hidden) return;
    try {
      lock = await navigator.wakeLock.request("screen");
      if (!field.checked) await update(); // switched off meanwhile
    } catch {
      field.checked = document.hidden; // the device saves its battery
    }
  }
}
