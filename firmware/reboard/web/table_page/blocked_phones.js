// The phones whose requests the host has blocked, and a button that blocks a phone in each element with `data-asked`, the id
// of a request that waits.

import { element, show } from "./element.js";
import { block, phones } from "./host_api.js";
import { text } from "/static/text.js";

const UNSEEN = "[data-asked]:not([data-phone])";

/** `onAnswer` is called with the answer to each request to allow a phone again. `ask` is that of `question.js`. */
export function blockedPhones(onAnswer, ask) {
  const list = document.getElementById("blocked");
  let isHost = false;
  let blocked = [];
  let shown = "";

  async function load() {
    const asked = document.querySelectorAll(UNSEEN);
    for (const item of asked) item.dataset.phone = "";
    const answer = isHost ? await phones() : null;
    if (!answer?.ok) return;
    ({ blocked } = answer.body);
    for (const item of asked) {
      const asking = answer.body.waiting[item.dataset.asked];
      item.dataset.phone = asking?.phone ?? "";
      if (asking) item.append(button("plain", text("Block the phone {address}", asking), () => askToBlock(asking)));
    }
    draw();
  }

  function draw() {
    show("blocked-box", blocked.length > 0);
    const now = JSON.stringify([blocked, text("Allow again")]);
    if (now === shown) return; // a finger may be on a button
    shown = now;
    list.replaceChildren(...blocked.map(({ phone, address }) => {
      const item = element("li", "", "host-row");
      item.append(element("span", address), button("button", text("Allow again"), async () => {
        onAnswer(await block(phone, false));
        void load();
      }));
      return item;
    }));
  }

  function askToBlock({ phone, address }) {
    ask({
      title: text("Block the phone {address}?", { address }),
      words: text("Its request is rejected, and the table takes none of this phone until you allow it again."),
      yes: text("Block"),
      run: () => block(phone, true),
      done: load,
    });
  }

  function button(kind, label, run) {
    const made = element("button", label, kind);
    made.type = "button";
    made.addEventListener("click", async () => {
      made.disabled = true;
      await run();
      made.disabled = false;
    });
    return made;
  }

  return {
    /** Draw again after a change of the table or of `isHost`, whether this browser is the host. */
    draw(isHostNow) {
      const isNew = isHostNow && !isHost;
      isHost = isHostNow;
      if (isNew) for (const item of document.querySelectorAll("[data-phone='']")) delete item.dataset.phone;
      draw();
      // after the panels have drawn, too
      setTimeout(() => { if (isNew || (isHost && document.querySelector(UNSEEN))) void load(); });
    },
  };
}
