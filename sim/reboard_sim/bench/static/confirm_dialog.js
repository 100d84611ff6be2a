// A dialog that the user confirms or cancels. It shows the error if the work fails.

import { cancellableTask } from "./cancellable_task.js";

/** Return a function that opens the dialog. `title` names the work; `work(signal)` does it and returns the error, or "". */
export function confirmDialog(dialog, title, work) {
  const form = dialog.querySelector("form");
  form.append(document.getElementById("question-end").content.cloneNode(true));
  const wrong = form.querySelector(".wrong");
  const task = cancellableTask(dialog);

  function showError(sentence) {
    wrong.textContent = sentence;
    wrong.hidden = !sentence;
  }

  form.querySelector(".first").textContent = title;
  form.querySelector(".leave").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", task.cancel); // Escape closes it too
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void task.run(work, (error) => {
      showError(error);
      if (!error) dialog.close();
    });
  });

  return () => {
    showError("");
    dialog.showModal();
  };
}
