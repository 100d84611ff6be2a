// The transfers of one game of a table, newest first, and more of them on request.

import { announce } from "/static/announce.js";
import { announcement, entry } from "/static/words.js";

import { element, show, showMessage } from "./element.js";
import { text } from "/static/text.js";
import { partiesElement } from "./parties.js";
import { time } from "./tables.js";

const LOOK_MS = 1000; // the shortest time between two looks for new transfers

export function history(name) {
  const list = document.getElementById("events");
  const games = document.getElementById("games");
  const older = document.getElementById("older");
  let chosen = null; // the latest game
  let rows = new Map();
  let found = null;
  let isLoading = false;
  let loading = null;
  let isStale = true;

  /** Load the newest transfers, or those before a number. */
  async function load(before) {
    const query = new URLSearchParams({ ...chosen, ...(before && { before }) });
    const answer = await fetch(`/api/tables/${encodeURIComponent(name)}/transfers?${query}`).catch(() => null);
    showMessage(document.getElementById("history-problem"), answer?.ok ? "" : text("The hall does not answer."));
    if (!answer?.ok) return;
    const now = await answer.json();
    const isSame = found?.game?.ledger === now.game?.ledger && found?.game?.game === now.game?.game;
    // a gap between what is shown and what came is not worth a second request
    const overlaps = now.transfers.some(({ id }) => rows.has(id));
    if (!before && !(isSame && overlaps)) rows = new Map();
    if (before || rows.size === 0) older.hidden = !now.more;
    const news = isSame && !before ? now.transfers.filter(({ id }) => id > Math.max(0, ...rows.keys())).reverse() : [];
    for (const row of now.transfers) rows.set(row.id, row);
    found = now;
    draw();
    for (const row of news) announce(() => announcement({ event: "transfer", ...row }, tableOf(found)));
  }

  async function refresh() {
    isStale = true;
    if (isLoading) return;
    isLoading = true;
    while (isStale) {
      isStale = false;
      await (loading = load());
      await new Promise((done) => setTimeout(done, LOOK_MS));
    }
    isLoading = false;
  }

  function draw() {
    if (!found) return;
    const table = tableOf(found);
    const all = [...rows.values()].sort((one, other) => other.id - one.id);
    const undone = new Set(all.map(({ undoes }) => undoes));
    list.replaceChildren(...all.map((row) => line(row, table, undone.has(row.id))));
    show("no-events", all.length === 0);
    const options = found.games.map((game) => {
      const made = element("option", `${game.game} · ${time(game.began_at)}`);
      made.value = JSON.stringify({ ledger: game.ledger, game: game.game });
      made.selected = game.ledger === found.game.ledger && game.game === found.game.game;
      return made;
    });
    if (JSON.stringify(options.map(({ text: label }) => label)) !== games.dataset.games) {
      games.dataset.games = JSON.stringify(options.map(({ text: label }) => label));
      games.replaceChildren(...options);
    }
  }

  games.addEventListener("change", () => {
    chosen = games.selectedIndex === 0 ? null : JSON.parse(games.value);
    void load();
  });
  older.addEventListener("click", () => load(Math.min(...rows.keys())));

  return {
    get loaded() {
      return loading;
    },
    draw(_, changed) {
      draw();
      if (changed?.has(name)) void refresh();
    },
  };
}

/** The table of a history, as the words of the accessories take it. */
function tableOf({ game, seats, transfers }) {
  return { units: game?.units, cards: seats, transfers };
}

function line(row, table, isUndone) {
  const { parties, amount, why } = entry({ event: "transfer", ...row }, table);
  const item = element("li", "", isUndone ? "entry undone" : "entry");
  item.append(element("time", time(row.at)), partiesElement(parties), element(isUndone ? "s" : "span", amount, "amount"), element("small", isUndone ? text("taken back") : why, "why"));
  return item;
}
