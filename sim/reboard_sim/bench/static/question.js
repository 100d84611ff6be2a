// A question in a dialog: it is left, or what it asks for is done. What goes wrong is told where it was asked.

/** A function that asks. `deed` is what can be done; `does()` does it, and tells what is wrong with that, or "". */
export function question(dialog, deed, does) {
  const form = dialog.querySelector("form");
  form.append(document.getElementById("question-end").content.cloneNode(true));
  const wrong = form.querySelector(".wrong");

  function say(sentence) {
    wrong.textContent = sentence;
    wrong.hidden = !sentence;
  }

  form.querySelector(".first").textContent = deed;
  form.querySelector(".leave").addEventListener("click", () => dialog.close());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void onceAtATime(dialog, async () => {
      say(await does());
      if (wrong.hidden) dialog.close();
    });
  });

  return () => {
    say("");
    dialog.showModal();
  };
}

/** Have `does()` done, unless something is being done there already; meanwhile `element` is busy. */
export async function onceAtATime(element, does) {
  if (element.hasAttribute("aria-busy")) return;
  element.setAttribute("aria-busy", "true");
  try {
    await does();
  } finally {
    element.removeAttribute("aria-busy");
  }
}
