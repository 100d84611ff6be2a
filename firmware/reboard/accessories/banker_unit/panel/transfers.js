// The latest transfers.

import { clockTime } from "/static/clock.js";
import { element, show } from "/static/element.js";
import { hue } from "./hues.js";
import { spoken } from "/static/language.js";
import { word } from "/static/words.js";

import { BANK, holder, money, POT, undoneTransfers, withCurrency } from "./accounts.js";
import { reason } from "./words.js";

const MOST = 12;

export function transfers() {
  const list = document.getElementById("transfer-list");

  return {
    table(table) {
      const undone = undoneTransfers(table);
      list.replaceChildren(...table.transfers.slice(0, MOST).map((transfer) => row(transfer, undone.has(transfer.id), table)));
      show("no-transfers", table.transfers.length === 0);
    },
  };
}

function row(transfer, isUndone, table) {
  const item = element("li", "", isUndone ? "undone" : "");
  const arrow = element("span", "→", "arrow");
  arrow.setAttribute("aria-hidden", "true");
  const parties = element("span", "", "parties");
  parties.append(party(transfer.from, table), arrow, party(transfer.to, table));
  const why = isUndone ? word("reasons", "undo") : reason(transfer);
  const amount = withCurrency(money(transfer.amount, table), table);
  item.append(parties, element("span", why, "why"), element("span", amount, "amount"), element("time", time(transfer.at, table)));
  return item;
}

function party(account, table) {
  const isPlayer = account !== BANK && account !== POT;
  const name = element("span", holder(account, table), isPlayer ? "party" : "party the-bank");
  if (isPlayer) name.style.setProperty("--hue", hue(account));
  return name;
}

function time(at, { counts_from: begin }) {
  if (typeof begin === "number") return clockTime(at - begin);
  const when = new Date(at * 1000);
  const day = when.toDateString() === new Date().toDateString() ? {} : { weekday: "short" };
  return when.toLocaleTimeString(spoken(), { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}
