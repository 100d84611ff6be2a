// The host's sign-in and controls. A browser that sent the PIN is the host.

import { blockedPhones } from "./blocked_phones.js";
import { show, showMessage } from "./element.js";
import { ask, hostStatus, request, signIn, signOut, untilAnswered, whyNot } from "./host_api.js";
import { text } from "/static/text.js";
import { pinDialog } from "./pin_dialog.js";
import { power } from "./power.js";
import { question } from "./question.js";
import { readers } from "./readers.js";

export function host() {
  const button = document.getElementById("host");
  const label = document.getElementById("host-label");
  const sheet = document.getElementById("host-sheet");
  const problem = document.getElementById("host-problem");
  const volume = document.getElementById("volume");
  const pin = pinDialog(() => {
    showMessage(problem, "");
    void update();
  });
  const askAgain = question();
  const powering = power(askAgain);
  const reading = readers();
  const blocked = blockedPhones(showAnswer, askAgain);
  let status = { enabled: false, needs_pin: true, host: false, power: [] };
  let phones = "";
  let table = {};
  let updates = 0;
  let isSliding = false;

  async function update() {
    updates += 1;
    const mine = updates;
    const answer = await hostStatus();
    if (mine !== updates) return; // a later answer is on its way
    if (answer?.ok) status = answer.body;
    draw();
  }

  function draw() {
    button.hidden = !status.enabled;
    show("host-sheet", status.host);
    document.body.toggleAttribute("data-host", status.host);
    powering.show(status.power);
    reading.show(status.host);
    blocked.draw(status.host);
    label.textContent = status.host ? text("Hosting") : text("Host");
    button.setAttribute("aria-pressed", status.host);
    if (!isSliding) volume.value = table.volume ?? 0;
  }

  /** Send a request of the host. Returns why it failed, or "". A payment with an id is sent again after a lost answer. */
  async function act(name, args) {
    sheet.setAttribute("aria-busy", true);
    const answer = await (args?.payment ? untilAnswered(() => request(name, args)) : request(name, args));
    sheet.setAttribute("aria-busy", false);
    return showAnswer(answer);
  }

  /** Show why a request failed, if it did. Returns it, or "". */
  function showAnswer(answer) {
    const why = answer?.ok ? "" : whyNot(answer);
    showMessage(problem, why);
    if (why) problem.scrollIntoView({ block: "nearest" }); // the names are far below it on a phone
    if (answer?.status === 401) {
      void update();
      if (status.needs_pin) pin.open(why);
    }
    return why;
  }

  button.addEventListener("click", async () => {
    if (status.needs_pin && !status.host) {
      pin.open();
      return;
    }
    if (!status.host) {
      showAnswer(await signIn());
      await update();
    }
    sheet.scrollIntoView({ block: "nearest" });
  });
  document.getElementById("sign-out").addEventListener("click", async () => {
    await signOut();
    void update();
    button.focus();
  });
  volume.addEventListener("input", () => { isSliding = true; });
  volume.addEventListener("change", async () => {
    isSliding = false;
    if (await act("volume", { level: Number(volume.value) })) draw();
  });
  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-close]")) target.closest("dialog").close();
  });

  return {
    act,
    /** Send a request of a player. The first one gives the phone the cookie by which it may host a table without a PIN. */
    async ask(...request) {
      const answer = await ask(...request);
      if (answer?.ok && !status.enabled && !status.needs_pin) void update();
      return answer;
    },
    connection(state) {
      if (state === "live") showMessage(problem, "");
    },
    host(now) {
      updates += 1; // an older answer may be on its way
      status = now;
      draw();
    },
    table(now) {
      table = now;
      const present = JSON.stringify(now.phones ?? null);
      // a phone that has a card may host a table without a PIN
      if (phones && phones !== present && !status.needs_pin) void update();
      phones = present;
      draw();
    },
  };
}
