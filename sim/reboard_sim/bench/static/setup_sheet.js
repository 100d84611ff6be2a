// The setup of the table: switches that act at once, and the way to another setup.

import { text } from "/static/text.js";

import { NO_ANSWER } from "./connection.js";
import { lineQueue } from "./line_queue.js";
import { posted, request } from "./request.js";
import { sceneNow } from "./scene.js";

/**
 * `mixedReaders[left][right]` is a warning about two kinds, if there is one. `page` is the table page, or null.
 * `changed(page)` is called after it lets phones in or not.
 */
export function setupSheet(mixedReaders, page, changed) {
  const opener = document.getElementById("setup-open");
  const sheet = document.getElementById("setup");
  const rows = document.getElementById("setup-rows");
  const mixed = document.getElementById("setup-mixed");
  const wrong = document.getElementById("setup-wrong");
  const letIn = document.getElementById("let-in");
  const act = lineQueue();

  function show(switches) {
    const focused = rows.contains(document.activeElement) ? document.activeElement.id : "";
    rows.replaceChildren(...switches.map((each) => row(each, (line) => act(line))));
    if (focused) document.getElementById(focused)?.focus(); // the row was drawn again
    const [left, right] = ["bank.left", "bank.right"].map((name) => switches.find(({ setting }) => setting === name)?.value);
    mixed.textContent = mixedReaders[left]?.[right] ?? "";
    mixed.hidden = !mixed.textContent;
  }

  function say(sentence) {
    wrong.textContent = sentence;
    wrong.hidden = !sentence;
  }

  async function change() {
    letIn.disabled = true;
    try {
      const answer = await request("api/bench/phones", { ...posted({ let_in: letIn.checked }), what: text("Let phones in") });
      const body = await answer.json();
      say(answer.ok ? "" : body.error);
      if (answer.ok) page = body;
    } catch {
      say(NO_ANSWER);
    }
    letIn.checked = page.lets_in;
    letIn.disabled = false;
    letIn.focus();
    changed(page);
  }

  letIn.closest(".row").hidden = !page?.can_let_in;
  letIn.checked = Boolean(page?.lets_in);
  letIn.addEventListener("change", change);
  sheet.addEventListener("beforetoggle", async ({ newState }) => {
    if (newState !== "open") return;
    say("");
    const now = await sceneNow(); // the host may have changed a setting too
    if (now) show(now.switches);
  });
  document.getElementById("scene-open").addEventListener("click", () => sheet.hidePopover());

  return {
    scene({ switches }) {
      show(switches);
      opener.disabled = false;
    },
  };
}

/** A row with a switch or a choice, which calls `act(line)`. */
function row({ setting, title, value, values, is_flag: isFlag, why_not: whyNot }, act) {
  const element = document.createElement("div");
  element.className = "row";
  const label = document.createElement("label");
  const control = document.createElement(isFlag ? "input" : "select");
  label.textContent = title;
  label.htmlFor = control.id = `setup-${setting.replace(".", "-")}`;
  if (isFlag) {
    Object.assign(control, { type: "checkbox", checked: value === "true" });
    control.setAttribute("role", "switch");
  } else {
    control.className = "field";
    control.translate = !setting.endsWith(".language"); // each language has its own name
    control.append(...values.map((each) => new Option(each.title, each.value)));
    control.value = value;
  }
  control.disabled = Boolean(whyNot);
  control.addEventListener("change", () => {
    const chosen = isFlag ? String(control.checked) : control.value;
    act(values.find((each) => each.value === chosen).line);
  });
  element.append(label, control);
  if (whyNot) {
    const why = document.createElement("p");
    why.id = `${control.id}-why`;
    why.textContent = whyNot;
    control.setAttribute("aria-describedby", why.id);
    element.append(why);
  }
  return element;
}

/** The lines that bring a table with the same setup to these switches. */
export function linesOf(switches) {
  return switches.filter((each) => each.is_changed).map(({ value, values }) => values.find((each) => each.value === value).line);
}
