// A dialog that the user confirms or cancels. It shows the error if the work fails.

import { deed } from "./deed.js";

/** Return a function that opens the dialog. `title` names the work; `does(signal)` does it and returns the error, or "". */
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
