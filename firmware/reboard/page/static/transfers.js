// The last transfers: who paid whom, and what for.

import { hue } from "/static/hues.js";
import { POT, reason } from "/static/words.js";

import { whose, written } from "./amounts.js";
import { element, show } from "./element.js";
import { spoken, text } from "./language.js";

const MOST = 12;
const CLEAR = new Set(["received", "paid", "players", "pot_paid", "pot_taken"]); // who pays whom says it already

export function transfers() {
  const list = document.getElementById("moves");

  return {
    table(table) {
      show("transfers", table.deal != null);
      const all = table.transfers ?? [];
      const undone = new Set(all.map(({ undoes }) => undoes));
      list.replaceChildren(...all.slice(0, MOST).map((transfer) => line(transfer, undone.has(transfer.id), table)));
      show("no-transfers", all.length === 0);
    },
  };
}

function line(transfer, isUndone, table) {
  const item = element("li", "", isUndone ? "undone" : "");
  const arrow = element("span", "→", "arrow");
  arrow.setAttribute("aria-hidden", "true");
  const parties = element("span", "", "parties");
  parties.append(party(transfer.from, table), arrow, party(transfer.to, table));
  const why = isUndone ? text("takenBack") : CLEAR.has(transfer.reason) ? "" : reason(transfer);
  const when = element("time", time(transfer.at));
  item.append(parties, element("span", why, "why"), element("span", written(transfer.amount, table), "amount"), when);
  return item;
}

function party(account, table) {
  const isPlayer = account !== 0 && account !== POT;
  const who = element("span", whose(account, table), isPlayer ? "party" : "party the-bank");
  if (isPlayer) who.style.setProperty("--hue", hue(account));
  return who;
}

function time(at) {
  const when = new Date(at * 1000);
  const day = when.toDateString() === new Date().toDateString() ? {} : { weekday: "short" };
  return when.toLocaleTimeString(spoken(), { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}
