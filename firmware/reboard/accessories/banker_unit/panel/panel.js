// The panel of the banker unit: players, deal, balances, ranking, and the host's controls of the game.

import { drawing } from "/static/art.js";
import { chart } from "/static/chart.js";
import { show } from "/static/element.js";
import { text } from "/static/text.js";

import { holder, isPlayer, moved, withCurrency } from "./accounts.js";
import { deal } from "./deal.js";
import { gameControls } from "./game_controls.js";
import { hostPlayers } from "./host_players.js";
import { join } from "./join.js";
import { pad } from "./pad.js";
import { pay } from "./pay.js";
import { players } from "./players.js";
import { ranking } from "./ranking.js";
import { undoDialog } from "./undo_dialog.js";
import { waitingPayments } from "./waiting_payments.js";

const FINAL = new Set(["start", "undo"]); // transfers that cannot be undone

export default function bankerUnit({ act, ask }) {
  const keypad = pad();
  const joining = join(ask, keypad);
  const paying = pay(ask, keypad, joining);
  const parts = [
    joining, paying, players(drawing("bank/card"), paying), deal(act, ask), ranking(), balances(),
    waitingPayments(act), gameControls(act), hostPlayers(act),
  ];
  const each = (method) => (...args) => parts.forEach((part) => part[method]?.(...args));
  return {
    usesEdition: true,
    table: each("table"),
    event: each("event"),
    connection: each("connection"),
    codeToJoin: joining.codeToJoin,
    ...history(undoDialog(act)),
  };
}

/** The transfers of the game: the latest ones, and all of them on request. The host can undo each. */
function history(undo) {
  let loaded = { game: null, transfers: [] };

  function known({ game, transfers }) {
    const older = loaded.game === game ? loaded.transfers : [];
    return [...transfers, ...older];
  }

  async function loadPast() {
    const answer = await fetch("/api/chart/balances.json").catch(() => null);
    if (!answer?.ok) return;
    const { game, transfers } = await answer.json();
    loaded = { game, transfers: transfers.reverse() };
  }

  return {
    past: (table) => known(table).map((transfer) => ({ ...transfer, event: "transfer" })),
    loadPast,
    hostAction(event, table) {
      if (event.event !== "transfer" || event.game !== table.game || FINAL.has(event.reason)) return null;
      return {
        label: text("Take back"),
        about: text("Take back {what}", { what: moved(event, table) }),
        async run() {
          await loadPast(); // events do not say to which act they belong
          const all = new Map(known(table).map((transfer) => [transfer.id, transfer]));
          const act = all.get(event.id)?.act ?? null;
          const together = [...all.values()].filter((transfer) => act !== null && transfer.act === act);
          undo.open(together.length ? together.reverse() : [event], table);
        },
      };
    },
  };
}

function balances() {
  const update = chart(document.getElementById("balances"), "balances");

  return {
    table(table) {
      const { game, cards, transfers, counts_from: begin } = table;
      const drawn = cards.filter(isPlayer);
      const isDrawn = drawn.length > 0 && transfers.some(({ reason }) => reason !== "start"); // else each line is a single point
      show("chart", isDrawn);
      const now = drawn.map(({ number, shown }) => `${holder(number, table)} ${withCurrency(shown, table)}`).join(", ");
      const state = isDrawn ? [game, begin, transfers[0].id, ...drawn.flatMap(({ number, name }) => [number, name])] : null;
      update(state, text("The balance of each player after each transfer. Now: {players}", { players: now }));
    },
  };
}
