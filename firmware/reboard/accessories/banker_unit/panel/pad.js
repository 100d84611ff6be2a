// The pad at the bottom of the page, in a thumb's reach: a field, its keys, and what can be done with the entered text.

import { element, showMessage } from "/static/element.js";
import { text } from "/static/text.js";

const ERASE = "⌫";
const DIGITS = [..."123456789"];
const LONGEST = 12;

export function pad() {
  const form = document.getElementById("pad");
  const field = document.getElementById("pad-field");
  const keys = document.getElementById("pad-keys");
  const more = document.getElementById("pad-more");
  const problem = document.getElementById("pay-problem");
  let now = null; // what the pad is open for
  let opener = null;
  let isSending = false;

  function close() {
    if (!now) return;
    const hadFocus = form.contains(document.activeElement);
    now = null;
    form.hidden = true;
    showMessage(problem, "");
    if (hadFocus) opener?.focus({ preventScroll: true });
  }

  /** Carry out one of the acts. `run(entered)` returns why it failed, or "": then the pad closes. */
  async function carryOut(run) {
    if (isSending) return; // a double tap is one request
    isSending = true;
    form.setAttribute("aria-busy", true);
    showMessage(problem, "");
    const mine = now;
    const why = await run(field.value);
    isSending = false;
    form.removeAttribute("aria-busy");
    if (now !== mine) return;
    if (!why) return close();
    showMessage(problem, why);
    if (now.length) field.value = "";
    focus();
  }

  function focus() {
    const main = now.keys ? field : form.querySelector("#pad-acts button"); // the first one is the safe one
    main.focus({ preventScroll: true });
  }

  function press(key) {
    const before = field.value;
    field.value = key === ERASE ? before.slice(0, -1) : before.length < field.maxLength ? before + key : before;
    entered();
  }

  function entered() {
    showMessage(problem, "");
    if (now.length && field.value.length === now.length) form.requestSubmit();
  }

  function key(label) {
    const made = button(label, "key", () => press(label));
    made.tabIndex = -1; // a keyboard has these keys
    made.dataset.key = label;
    if (label === ERASE) made.setAttribute("aria-label", text("Remove the last digit"));
    return made;
  }

  keys.addEventListener("pointerdown", (event) => event.preventDefault()); // the focus stays in the field
  field.addEventListener("input", entered);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void carryOut(now.acts.at(-1).run);
  });
  form.addEventListener("keydown", (event) => event.key === "Escape" && close());
  document.getElementById("pad-close").addEventListener("click", close);
  more.addEventListener("click", () => now.more.run());

  return {
    close,
    /** The object that the open pad was opened with, or null. */
    get openFor() {
      return now;
    },
    /**
     * Open the pad with a `title` and `acts`, each a `label` and `run(entered)`; the last one is the main one. With `keys`,
     * besides the digits, it has a field with a `label`. Optional: a `hint`, the `length` of a text at which the main act runs,
     * `chips`, each a `label` and `run()`, and `more`, another one.
     */
    open(what) {
      if (!now) opener = document.activeElement;
      now = what;
      showMessage(problem, "");
      document.getElementById("pad-title").textContent = what.title;
      showMessage(document.getElementById("pad-hint"), what.hint ?? "");
      showMessage(more, what.more?.label ?? "");
      field.hidden = keys.hidden = !what.keys;
      field.setAttribute("aria-label", what.label ?? "");
      field.value = "";
      field.maxLength = what.length ?? LONGEST;
      const [first = "", ...others] = what.keys ?? [];
      keys.replaceChildren(...[...DIGITS, first, "0", ERASE, ...others].map((label) => (label ? key(label) : element("span"))));
      keys.classList.toggle("wide", others.length > 0);
      document.getElementById("pad-chips").replaceChildren(...(what.chips ?? []).map(({ label, run }) => button(label, "button", () => carryOut(run))));
      document.getElementById("pad-acts").replaceChildren(...what.acts.map(({ label, run }) => {
        const isMain = run === what.acts.at(-1).run;
        const made = button(label, isMain ? "button main" : "button", isMain ? null : () => carryOut(run));
        made.type = isMain ? "submit" : "button";
        return made;
      }));
      form.hidden = false;
      focus();
    },
  };
}

function button(label, kind, act) {
  const made = element("button", label, kind);
  made.type = "button";
  if (act) made.addEventListener("click", act);
  return made;
}
