// "Show me": the demo of each accessory, a short play that the user can stop. A panel can have whyNoDemo(hardware), which
// returns why it cannot be shown now, and afterDemo(hardware), which returns the lines that clear up after a stop.

import { NO_ANSWER } from "./connection.js";
import { lineQueue } from "./line_queue.js";

const POST = { method: "POST", headers: { "Content-Type": "application/json" } };

/** `all` has the lines of each demo by accessory; `panels` the panels by accessory. Call `showError(sentence)` if one fails. */
export function demos(all, panels, showError) {
  const act = lineQueue();
  let now = null;

  for (const [name, lines] of Object.entries(all)) {
    const button = document.querySelector(`#${name} .show-me`);
    const label = button.textContent;
    let running = null;

    button.addEventListener("click", async () => {
      if (running) {
        running.abort(); // the bench drops the rest, and releases what is held
        return;
      }
      const why = whyNot(panels[name]);
      if (why) {
        showError(why);
        return;
      }
      running = new AbortController();
      button.textContent = "Stop";
      const { signal } = running;
      const error = await shown(name, lines, signal);
      running = null;
      button.textContent = label;
      if (error) showError(error);
      if (signal.aborted) act(...(panels[name].afterDemo?.(now) ?? []));
    });
  }

  function whyNot(panel) {
    return now?.powered ? (panel.whyNoDemo?.(now) ?? "") : "Switch the power on first.";
  }

  async function shown(name, lines, signal) {
    try {
      if (now.pace === 0) await fetch("/api/bench/time", { ...POST, body: JSON.stringify({ pace: 1 }), signal });
      const answer = await fetch("/api/bench/do", { ...POST, body: JSON.stringify({ lines, hand: `demo ${name}` }), signal });
      return answer.ok ? "" : (await answer.json()).error;
    } catch {
      return signal.aborted ? "" : NO_ANSWER;
    }
  }

  return {
    hardware(state) {
      now = state;
    },
  };
}
