// Checkboxes that the browser remembers.

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
