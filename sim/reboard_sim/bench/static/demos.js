// "Show me": the demo of each accessory, a short play. The bench carries it out to its end even if this page is closed. A
// panel can have whyNoDemo(hardware), which returns why it cannot be shown now.

import { text } from "/static/text.js";

import { showNotice } from "./caption.js";
import { NO_ANSWER } from "./connection.js";
import { posted } from "./request.js";

const REASON_MS = 5000;

/** `names` are the accessories with a demo; `panels` has the panels by accessory. Call `showError(sentence)` if one fails. */
export function demos(names, panels, showError) {
  let now = null;
  const buttons = names.map((name) => {
    const button = document.querySelector(`#${name} .show-me`);
    button.addEventListener("click", async () => {
      const stop = isRunning(name);
      const why = stop ? "" : whyNot(panels[name]);
      if (why) showNotice(document.querySelector(`#${name} .says`), why, REASON_MS);
      else {
        const error = await refusal({ accessory: name, stop });
        if (error) showError(error);
      }
    });
    return { name, button, label: button.textContent };
  });

  function isRunning(name) {
    return now?.demos?.includes(name) ?? false;
  }

  function whyNot(panel) {
    return now?.powered ? (panel.whyNoDemo?.(now) ?? "") : text("Switch the power on first");
  }

  return {
    hardware(state) {
      now = state;
      for (const { name, button, label } of buttons) {
        const words = isRunning(name) ? text("Stop") : label; // in every page
        if (button.textContent !== words) button.textContent = words;
      }
    },
  };
}

/** Return why the bench rejects this, or "". */
async function refusal(asked) {
  try {
    const answer = await fetch("api/bench/demo", posted(asked));
    return answer.ok ? "" : (await answer.json()).error;
  } catch {
    return NO_ANSWER;
  }
}
