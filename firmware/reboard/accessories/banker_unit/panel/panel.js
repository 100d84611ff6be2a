// The panel of the banker unit: players, deal, balances, ranking, and the host's controls of the game.

import { drawing } from "/static/art.js";
import { chart } from "/static/chart.js";
import { show } from "/static/element.js";
import { text } from "/static/language.js";

import { holder, withCurrency } from "./accounts.js";
import { deal } from "./deal.js";
import { gameControls } from "./game_controls.js";
import { pay, waitingPayments } from "./pay.js";
import { playerNames } from "./player_names.js";
import { players } from "./players.js";
import { ranking } from "./ranking.js";

export default function bankerUnit({ act, ask, asks }) {
  const parts = [
    players(drawing("bank/card")), deal(), pay(ask, asks.includes("ask_payment")), ranking(), balances(),
    waitingPayments(act), gameControls(act), playerNames(act),
  ];
  const each = (method) => (...args) => parts.forEach((part) => part[method]?.(...args));
  return {
    usesEdition: true,
    table: each("table"),
    event: each("event"),
    connection: each("connection"),
    ...history(),
  };
}

/** The transfers of the game: the latest ones, and all of them on request. */
function history() {
  let loaded = { game: null, transfers: [] };

  return {
    past({ game, transfers }) {
      const older = loaded.game === game ? loaded.transfers : [];
      return [...transfers, ...older].map((transfer) => ({ ...transfer, event: "transfer" }));
    },
    async loadPast() {
      const answer = await fetch("/api/chart/balances.json").catch(() => null);
      if (!answer?.ok) return;
      const { game, transfers } = await answer.json();
      loaded = { game, transfers: transfers.reverse() };
    },
  };
}

function balances() {
  const update = chart(document.getElementById("balances"), "balances");

  return {
    table(table) {
      const { game, cards, transfers, counts_from: begin } = table;
      const isDrawn = transfers.some(({ reason }) => reason !== "start"); // else each line is a single point
      show("chart", isDrawn);
      const now = cards.map(({ number, shown }) => `${holder(number, table)} ${withCurrency(shown, table)}`).join(", ");
      const state = isDrawn ? [game, begin, transfers[0].id, ...cards.map(({ name }) => name)] : null;
      update(state, text("chartAlt", { players: now }));
    },
  };
}
