// Follows the table and shows what it tells. Everything is put in as text, never as markup.

import { holder, money, mood, outcome, reason, sentence, worms } from "/static/words.js";

const MOST_EVENTS = 30;
const MOST_TRANSFERS = 10;

const by = (id) => document.getElementById(id);
let table = {};
let units = false;
let names = new Map();
let happened = [];

const server = new EventSource("/api/events");
server.addEventListener("connection", (message) => {
  const { connected, why } = JSON.parse(message.data);
  if (connected) {
    happened = [];
    showEvents();
  }
  showConnection(connected ? "here" : "away", connected ? "connected" : `The table is away: ${why}.`);
});
server.addEventListener("table", (message) => {
  table = JSON.parse(message.data);
  showTable();
  showEvents();
});
server.addEventListener("past", (message) => hear(JSON.parse(message.data), null));
server.addEventListener("message", (message) => hear(JSON.parse(message.data), new Date()));
server.addEventListener("error", () => showConnection("away", "The page's own server is away; looking for it …"));

function hear(event, at) {
  if (mood(event) === "wire") return;
  happened.unshift({ event, at });
  happened.length = Math.min(happened.length, MOST_EVENTS);
  showEvents();
}

function showConnection(state, words) {
  document.body.dataset.connection = state;
  by("connection").textContent = words;
}

function showTable() {
  const title = table.title ?? table.edition ?? "The table";
  document.title = title;
  by("title").textContent = title;
  by("game").textContent = table.game == null ? "" : `Game ${table.game}`;
  by("sound").textContent = table.volume ? `Volume ${table.volume} of 4` : "The sound is off";
  showFaults(Object.entries(table.faults ?? {}));
  showBank();
  showState("block", table.block, "outcome", outcome(table.block?.last), table.block?.quiet ? "quiet" : "");
  showState("apple", table.apple, "worms", table.apple ? worms(table.apple) : "", table.apple?.running ? "on" : "");
}

function showFaults(faults) {
  by("faults").hidden = faults.length === 0;
  by("faults").replaceChildren(...faults.map(([part, cause]) => element("li", `${part}: ${cause}`)));
}

function showBank() {
  const hasBank = table.deal != null;
  by("bank").hidden = by("transfers").hidden = !hasBank;
  if (!hasBank) return;
  units = table.units;
  const lines = table.display ?? [];
  document.querySelectorAll("#glass pre").forEach((line, i) => { line.textContent = (lines[i] ?? "").padEnd(16); });
  by("glass").setAttribute("aria-label", `The display: ${lines.join(", ")}`);
  by("deal").textContent = table.deal.running ? "Deal!" : "no deal";
  by("deal").dataset.is = table.deal.running ? "on" : "";
  const inSlot = Object.fromEntries(Object.entries(table.slots ?? {}).map(([slot, number]) => [number, slot]));
  names = new Map(table.cards.map(({ number, name }) => [number, name]));
  by("cards").replaceChildren(...table.cards.map((card) => cardTile(card, inSlot[card.number])));
  by("no-cards").hidden = table.cards.length > 0;
  const transfers = (table.transfers ?? []).slice(0, MOST_TRANSFERS);
  document.querySelector("#transfers tbody").replaceChildren(...transfers.map(transferRow));
  document.querySelector("#transfers table").hidden = transfers.length === 0;
  by("no-transfers").hidden = transfers.length > 0;
}

function cardTile({ number, shown, name, retired }, slot) {
  const tile = element("li");
  tile.dataset.card = number;
  tile.append(element("span", number, "number"), element("span", shown, "balance"));
  if (name) tile.append(element("span", name, "name"));
  if (retired) tile.append(element("span", "out of the game", "slot"));
  if (slot) tile.append(element("span", slot === "left" ? "in the left slot (+)" : "in the right slot (−)", "slot"));
  return tile;
}

function transferRow(transfer) {
  const row = element("tr");
  row.append(
    element("td", player(transfer.from)),
    element("td", player(transfer.to)),
    element("td", money(transfer.amount, units)),
    element("td", reason(transfer)),
  );
  return row;
}

/** Whose account this is: by name, where there is one. */
function player(account) {
  return names.get(account) || holder(account);
}

function showState(section, accessory, where, words, is) {
  by(section).hidden = accessory == null;
  by(where).textContent = words;
  by(where).dataset.is = is;
}

function showEvents() {
  document.querySelector("#events ol").replaceChildren(...happened.map(eventLine));
  by("no-events").hidden = happened.length > 0;
}

function eventLine({ event, at }) {
  const line = element("li");
  line.append(element("time", at ? at.toLocaleTimeString() : ""), element("span", sentence(event, units)));
  return line;
}

function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}
