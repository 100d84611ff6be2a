// A question in a dialog: it is left, or what it asks for is done. What goes wrong is told where it was asked.

import { deed } from "./deed.js";

/** A function that asks. `title` is what can be done; `does(signal)` does it, and tells what is wrong with that, or "". */
export function question(dialog, title, does) {
  const form = dialog.querySelector("form");
  form.append(document.getElementById("question-end").content.cloneNode(true));
  const wrong = form.querySelector(".wrong");
  const doing = deed(dialog);

  function say(sentence) {
    wrong.textContent = sentence;
    wrong.hidden = !sentence;
  }

  form.querySelector(".first").textContent = title;
  form.querySelector(".leave").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", doing.leave); // with Escape, too
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void doing.begin(does, (sentence) => {
      say(sentence);
      if (!sentence) dialog.close();
    });
  });

  return () => {
    say("");
    dialog.showModal();
  };
}
