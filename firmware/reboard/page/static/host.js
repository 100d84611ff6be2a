// The host: whoever has entered the PIN may put things right.

import { refused } from "/static/words.js";

import { whose, written } from "./amounts.js";
import { endGame } from "./end_game.js";
import { show } from "./element.js";
import { enter, leave, request, standing } from "./host_requests.js";
import { text, titleOf } from "./language.js";
import { names } from "./names.js";

const SETTLED_MS = 1000;
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
  const final = endGame(act);
  const pin = pinDialog(() => {
    say("");
    void look();
  });
  let is = { enabled: false, host: false };
  let table = {};
  let looks = 0;
  let sliding = false;
  let ending = null; // the game that a new one is to end
  let settled = 0;

  async function look() {
    looks += 1;
    const mine = looks;
    const now = await standing();
    if (mine !== looks) return; // somebody has asked again since
    is = now ?? is;
    tell();
  }

  function tell() {
    button.hidden = !is.enabled;
    sheet.hidden = !is.host;
    label.textContent = text(is.host ? "hosting" : "host");
    button.setAttribute("aria-pressed", is.host);
  }

  /** Have the table do something; why it does not, "" when it did. */
  async function act(what, args) {
    sheet.setAttribute("aria-busy", true);
    const answer = await request(what, args);
    sheet.setAttribute("aria-busy", false);
    const why = answer?.ok ? "" : refusal(answer);
    say(why);
    if (answer?.status === 401) {
      void look();
      pin.open(why);
    }
    if (why) put();
    return why;
  }

  function say(words) {
    trouble.textContent = words;
    trouble.hidden = !words;
  }

  /** Put everything where the table has it, but what is under somebody's finger. */
  function put() {
    if (!sliding) volume.value = table.volume ?? 0;
    quiet.checked = Boolean(table.block?.quiet);
    naming.table(table);
  }

  /** Say what would be taken back. A button that has just become another one does nothing for a moment. */
  function offerUndo(last) {
    const id = String(last?.id ?? "");
    if (id !== undo.dataset.transfer) {
      undo.dataset.transfer = id;
      undo.disabled = true;
      clearTimeout(settled);
      settled = setTimeout(() => { undo.disabled = !undo.dataset.transfer; }, SETTLED_MS);
    }
    undo.textContent = last
      ? text("undo", {
          amount: written(last.amount, table),
          payer: whose(last.from, table, "from"),
          receiver: whose(last.to, table, "to"),
        })
      : text("noUndo");
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
  undo.addEventListener("click", async () => {
    undo.disabled = true; // once, however often it is tapped
    if (await act("undo", { transfer: Number(undo.dataset.transfer) })) undo.disabled = false;
  });
  volume.addEventListener("input", () => { sliding = true; });
  volume.addEventListener("change", () => {
    sliding = false;
    void act("volume", { level: Number(volume.value) });
  });
  quiet.addEventListener("change", () => void act("quiet", { on: quiet.checked }));
  document.getElementById("new-game").addEventListener("click", () => {
    editions.replaceChildren(...(table.editions ?? []).map((edition) => new Option(titleOf(edition), edition.name)));
    editions.value = table.edition;
    ending = table.game;
    newGame.showModal();
  });
  newGame.querySelector("form").addEventListener("submit", () => void act("new_game", { game: ending, edition: editions.value }));
  document.getElementById("end-game").addEventListener("click", () => final.open(table));
  for (const close of document.querySelectorAll("[data-close]")) {
    close.addEventListener("click", () => close.closest("dialog").close());
  }

  return {
    connection({ connected }) {
      if (!connected) return;
      say("");
      void look();
    },
    table(now) {
      table = now;
      const undone = new Set((now.transfers ?? []).map(({ undoes }) => undoes));
      const last = (now.transfers ?? []).find(({ id, reason }) => !STANDS.has(reason) && !undone.has(id));
      offerUndo(last);
      show("of-bank", now.deal != null);
      show("of-block", now.block != null);
      put();
      tell();
    },
  };
}

/** Why nothing was done, in words. */
function refusal(answer) {
  if (answer === null) return text("notReached");
  if (answer.status === 401) return text("noHost");
  return refused(answer.told?.why) ?? answer.told?.error ?? text("notReached");
}

/** The dialog that asks for the PIN; `entered()` is called when it was right. */
function pinDialog(entered) {
  const dialog = document.getElementById("pin-dialog");
  const pin = document.getElementById("pin");
  const button = dialog.querySelector("[type=submit]");
  const trouble = document.getElementById("pin-trouble");

  function say(words) {
    trouble.textContent = words;
    trouble.hidden = !words;
  }

  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const guess = pin.value;
    pin.value = "";
    button.disabled = true; // every guess counts
    const answer = await enter(guess);
    button.disabled = false;
    if (answer?.ok) {
      dialog.close();
      entered();
      return;
    }
    if (answer?.status === 429) say(text("pinWait", { seconds: Math.ceil(answer.told?.retry_after_s ?? 1) }));
    else say(answer === null ? text("notReached") : answer.status === 403 ? text("pinWrong") : answer.told?.error);
    pin.focus();
  });

  return {
    open(words = "") {
      pin.value = "";
      say(words);
      if (!dialog.open) dialog.showModal();
    },
  };
}
