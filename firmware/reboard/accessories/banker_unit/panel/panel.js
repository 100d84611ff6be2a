// The panel of the banker unit: players, deal, balances, transfers, ranking, and the host's controls of the game.

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
import { transfers } from "./transfers.js";

export default function bankerUnit({ act, ask, asks }) {
  const parts = [
    players(drawing("bank/card")), deal(), pay(ask, asks.includes("ask_payment")), transfers(), ranking(), balances(),
    waitingPayments(act), gameControls(act), playerNames(act),
  ];
  const each = (method) => (...args) => parts.forEach((part) => part[method]?.(...args));
  return { usesEdition: true, table: each("table"), event: each("event"), connection: each("connection") };
}

function balances() {
  const update = chart(document.getElementById("balances"), "balances");

  return {
    table(table) {
      const { game, cards, transfers } = table;
      show("chart", transfers.length > 0);
      const now = cards.map(({ number, shown }) => `${holder(number, table)} ${withCurrency(shown, table)}`).join(", ");
      const state = transfers.length ? [game, transfers[0].id, ...cards.map(({ name }) => name)] : null;
      update(state, text("chartAlt", { players: now }));
    },
  };
}
