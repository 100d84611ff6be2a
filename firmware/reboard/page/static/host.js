// The host: whoever has entered the PIN may put things right.

import { whose, written } from "./amounts.js";
import { endGame } from "./end_game.js";
import { show } from "./element.js";
import { enter, leave, request, standing } from "./host_requests.js";
import { text } from "./language.js";
import { names } from "./names.js";

const STANDS = new Set(["start", "recovered", "undo"]); // never taken back

export function host() {
  const button = document.getElementById("host");
  const label = document.getElementById("host-label");
  const sheet = document.getElementById("host-sheet");
  const trouble = document.getElementById("host-trouble");
  const undo = document.getElementById("undo");
  const volume = document.getElementById("volume");
  const quiet = document.getElementById("quiet");
  const newGame = document.getElementById("new-game-dialog");
  const editions = document.getElementById("editions");
  const naming = names(act);
  const ending = endGame(act);
  const pin = pinDialog(look);
  let is = { enabled: false, host: false };
  let table = {};

  async function look() {
    is = (await standing()) ?? is;
    tell();
  }

  function tell() {
    button.hidden = !is.enabled;
    sheet.hidden = !is.host;
    label.textContent = text(is.host ? "hosting" : "host");
    button.setAttribute("aria-pressed", is.host);
  }

  /** Have the table do something, and say why if it does not. Whether it was done. */
  async function act(what, args) {
    const answer = await request(what, args);
    const said = answer === null ? text("notReached") : answer.status === 401 ? text("noHost") : answer.told?.error;
    trouble.textContent = answer?.ok ? "" : said;
    trouble.hidden = Boolean(answer?.ok);
    if (answer?.status === 401) void look();
    return Boolean(answer?.ok);
  }

  button.addEventListener("click", () => {
    if (is.host) sheet.scrollIntoView({ block: "nearest" });
    else pin.open();
  });
  document.getElementById("leave").addEventListener("click", async () => {
    await leave();
    void look();
    button.focus();
  });
  undo.addEventListener("click", () => void act("undo", { transfer: Number(undo.dataset.transfer) }));
  volume.addEventListener("change", () => void act("volume", { level: Number(volume.value) }));
  quiet.addEventListener("change", () => void act("quiet", { on: quiet.checked }));
  document.getElementById("new-game").addEventListener("click", () => {
    editions.replaceChildren(...(table.editions ?? []).map(({ name, title }) => new Option(title, name)));
    editions.value = table.edition;
    newGame.showModal();
  });
  newGame.querySelector("form").addEventListener("submit", () => void act("new_game", { game: table.game, edition: editions.value }));
  document.getElementById("end-game").addEventListener("click", () => ending.open(table));
  for (const close of document.querySelectorAll("[data-close]")) {
    close.addEventListener("click", () => close.closest("dialog").close());
  }
  void look();

  return {
    connection: () => void look(),
    table(now) {
      table = now;
      const undone = new Set((now.transfers ?? []).map(({ undoes }) => undoes));
      const last = (now.transfers ?? []).find(({ id, reason }) => !STANDS.has(reason) && !undone.has(id));
      undo.disabled = !last;
      undo.dataset.transfer = last?.id ?? "";
      undo.textContent = last
        ? text("undo", {
            amount: written(last.amount, now),
            payer: whose(last.from, now, "from"),
            receiver: whose(last.to, now, "to"),
          })
        : text("noUndo");
      show("of-bank", now.deal != null);
      show("of-block", now.block != null);
      if (document.activeElement !== volume) volume.value = now.volume ?? 0;
      quiet.checked = Boolean(now.block?.quiet);
      naming.table(now);
      tell();
    },
  };
}

/** The dialog that asks for the PIN; `entered()` is called when it was right. */
function pinDialog(entered) {
  const dialog = document.getElementById("pin-dialog");
  const pin = document.getElementById("pin");
  const trouble = document.getElementById("pin-trouble");

  function say(words) {
    trouble.textContent = words;
    trouble.hidden = !words;
  }

  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = await enter(pin.value);
    pin.value = "";
    if (answer?.ok) {
      dialog.close();
      entered();
      return;
    }
    if (answer?.status === 429) say(text("pinWait", { seconds: Math.ceil(answer.told?.retry_after_s ?? 1) }));
    else say(answer === null ? text("notReached") : answer.status === 403 ? text("pinWrong") : answer.told?.error);
    pin.focus();
  });
  dialog.addEventListener("close", () => say(""));

  return {
    open() {
      pin.value = "";
      dialog.showModal();
    },
  };
}
