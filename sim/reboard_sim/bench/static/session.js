// The recorded session: saved as a play, or copied as a link.

import { announce } from "/static/announce.js";
import { text } from "/static/text.js";

import { request } from "./request.js";
import { sceneNow } from "./scene.js";
import { linkTo } from "./setup_link.js";

const SHOWN_MS = 2500;
const TOO_LONG = text("Too long: save it");

/** `longestScene` is the most seconds at the table that the lines of a link may take. */
export function session(longestScene) {
  const save = document.getElementById("save-play");
  const copy = document.getElementById("copy-link");
  const label = copy.textContent;
  let timer;
  let isPartial = false; // a link cannot have an earlier ledger

  copy.addEventListener("click", async () => {
    copy.textContent = await copied();
    announce(copy.textContent); // the accessible name of the button stays
    clearTimeout(timer); // an earlier timer must not end this text
    timer = setTimeout(() => { copy.textContent = label; }, SHOWN_MS);
  });

  async function copied() {
    const [lines, now] = await Promise.all([linesDone(), sceneNow()]).catch(() => []);
    if (!lines || !now) return text("No answer");
    if (now.lasts_s > longestScene) return TOO_LONG;
    const address = await linkTo(now, lines);
    if (!address) return TOO_LONG;
    try {
      await navigator.clipboard.writeText(address);
      return isPartial ? text("Copied without earlier games") : text("Copied");
    } catch {
      history.replaceState(history.state, "", address);
      return text("See the address bar");
    }
  }

  return {
    hardware({ recorded }) {
      isPartial = recorded.earlier_ledger;
      const says = recorded.full ? text("Save as a play (full)") : text("Save as a play");
      if (save.textContent !== says) save.textContent = says;
    },
    scene() {
      copy.disabled = false;
    },
  };
}

/** The acts since the table was switched on, as lines, without the checks at the end. */
async function linesDone() {
  const answer = await request("api/bench/export/session.play", { what: text("the recorded session") });
  if (!answer.ok) throw new Error(`session.play: ${answer.status}`);
  const play = await answer.text();
  const lines = play.split("\n").filter((line) => line && !line.startsWith("#"));
  lines.splice(0, lines.indexOf("power on") + 1);
  while (lines.at(-1)?.startsWith("expect ")) lines.pop();
  return lines;
}
