// The words for the banker unit.

import { capital, rejection, word } from "/static/words.js";

import { BANK, holder, money, payment, POT, whyEnded, withCurrency } from "./accounts.js";
import { cardColour } from "./card_colour.js";

export const kinds = { "deal.tick": "passing" };

const ofPayment = ({ from, to }, table) => ({ parties: [party(from, table), party(to, table)] });
const ofCard = ({ number }, table) => ({ parties: number === null ? [] : [party(number, table)] });

export const entries = {
  transfer: (event, table) => ({
    amount: withCurrency(money(event.amount, table), table),
    parties: [party(event.from, table), party(event.to, table)],
    why: reason(event),
  }),
  "card.inserted": ofCard,
  "card.removed": ofCard,
  named: ofCard,
  "payment.asked": ofPayment,
  "payment.ended": ofPayment,
};

function party(account, table) {
  const isPlayer = account !== BANK && account !== POT;
  return { name: holder(account, table), ...(isPlayer && { player: account, colour: cardColour(account) }) };
}

const OBVIOUS = new Set(["received", "paid", "players", "pot_paid", "pot_taken"]);

/** Why money moved, or "" if payer and receiver say it already. */
function reason(transfer) {
  return OBVIOUS.has(transfer.reason) ? "" : (word("reasons", transfer.reason) ?? transfer.reason);
}

function suffix(transfer) {
  return reason(transfer) && `: ${reason(transfer)}`;
}

function card(event, table) {
  return event.number === null ? word("accounts", "unknown") : holder(event.number, table);
}

function winners({ ranking }) {
  return ranking.filter(({ place }) => place === 1).map(({ name, number }) => name || holder(number)).join(", ");
}

export default {
  en: {
    texts: {
      players: "Players",
      game: ({ game, clock, ended }) => `Game ${game}` + (clock == null || ended ? "" : ` · ${clock} min left`),
      noCards: "No players yet. Put a card into a slot.",
      inLeft: "receives (+)",
      inRight: "pays (−)",
      retired: "bankrupt",
      pot: ({ shown }) => `Free Parking pot: ${shown}`,
      display: ({ lines }) => `Display: ${lines}`,
      dealRunning: "Deal! Any bids?",
      dealEnded: "Sold!",
      dealCancelled: "Deal cancelled",
      chart: "Balances",
      chartAlt: ({ players }) => `The balance of each player after each transfer. Now: ${players}`,
      ownCard: "Your card",
      whichCard: "Which card is yours?",
      iAm: ({ name }) => `I am ${name}`,
      notMine: "Not me",
      notInGame: "not in this game",
      ranking: "Game over",
      worthParts: ({ cash, property }) => `${cash} cash + ${property} property`,
      shareRanking: "Share",
      saveRanking: "Save picture",
      place: ({ place }) => `Place ${place}`,
      undo: ({ amount, payer, receiver }) => `Undo ${amount} from ${payer} to ${receiver}`,
      nothingToUndo: "Nothing to undo",
      newGame: "New game …",
      newGameTitle: "Start a new game?",
      newGameText: "Every card gets the starting money. The current game stays in the ledger.",
      edition: "Edition",
      startGame: "Start",
      endGame: "End game …",
      endGameTitle: "End the game?",
      endGameText: "Enter what each player's property, houses and hotels are worth. They decide the ranking; no money moves.",
      showRanking: "Show ranking",
      notAnAmount: ({ text, units }) => `“${text}” is not an amount${units ? ": add K or M, such as 1.5M" : ""}`,
      names: "Names",
      nameOf: ({ card }) => `Name of ${card}`,
      payTitle: "Pay",
      payWhat: "What",
      payTo: ({ to }) => `Pay ${to}`,
      payFrom: ({ from }) => `Get from ${from}`,
      amount: "Amount",
      payAsk: "Ask",
      paySalary: ({ amount }) => `GO: get ${amount}`,
      payJoin: ({ amount }) => `Join with ${amount}`,
      payWaits: ({ payment }) => `${capital(payment)}: waiting for GO at the banker unit, or for the host.`,
      payBooked: ({ payment }) => `Done: ${payment}.`,
      payNot: ({ payment, why }) => `Not done: ${payment}. Reason: ${why}.`,
      payTooOften: ({ seconds }) => `Too many requests. Try again in ${seconds} s.`,
      payments: "Players ask",
      payConfirm: "Confirm",
      payReject: "Reject",
    },
    parts: { bank: "banker unit" },
    requests: {
      new_game: "new game",
      end_game: "end game",
      undo: "undo",
      name: "name a card",
      ask_payment: "ask for a payment",
      confirm_payment: "payment confirmed",
      reject_payment: "payment rejected",
    },
    payments: {
      moves: (amount, payer, receiver) => `${amount} from ${payer} to ${receiver}`,
      joins: (who) => `${who} joins the game`,
      booked: "booked",
      rejected: "rejected",
      expired: "not confirmed in time",
    },
    accounts: {
      bank: { nominative: "the bank", from: "the bank", to: "the bank" },
      pot: { nominative: "the pot", from: "the pot", to: "the pot" },
      card: (number) => `card ${number}`,
      unknown: "an unknown card",
    },
    reasons: {
      start: "starting money",
      salary: "GO",
      bankrupt: "bankrupt",
      undo: "correction",
      coins: "coins",
      laugh: "laugh",
      game_over: "game over",
    },
    sentences: {
      "card.inserted": (event, table) => `${card(event, table)} into the ${event.slot} slot`,
      "card.removed": (event, table) => `${card(event, table)} out of the ${event.slot} slot`,
      transfer: (event, table) =>
        `${money(event.amount, table)} from ${holder(event.from, table)} to ${holder(event.to, table)}${suffix(event)}`,
      "payment.asked": (event, table) => `asked: ${payment(event, table)}`,
      "payment.ended": (event, table) => `${payment(event, table)}: ${whyEnded(event)}`,
      refused: ({ why }) => `refused: ${rejection(why) ?? why}`,
      "game.started": ({ game }) => `game ${game} starts`,
      "game.resumed": ({ game }) => `game ${game} continues`,
      "game.ended": (event) => `game ${event.game} is over; first: ${winners(event)}`,
      "game.clock": ({ minutes }) =>
        minutes === null ? "game clock off" : minutes ? `${minutes} minutes left in the game` : "the game's time is up",
      named: ({ number, name }) => (name ? `card ${number} is ${name}` : `card ${number} has no name now`),
      "deal.started": () => "deal started",
      "deal.tick": () => "tick",
      "deal.ended": () => "sold: the deal is over",
      "deal.cancelled": () => "deal cancelled",
    },
  },

  de: {
    texts: {
      players: "Spieler",
      game: ({ game, clock, ended }) => `Spiel ${game}` + (clock == null || ended ? "" : ` · noch ${clock} min`),
      noCards: "Noch keine Spieler. Steck eine Karte in einen Schlitz.",
      inLeft: "bekommt (+)",
      inRight: "zahlt (−)",
      retired: "bankrott",
      pot: ({ shown }) => `Frei-Parken-Topf: ${shown}`,
      display: ({ lines }) => `Anzeige: ${lines}`,
      dealRunning: "Versteigerung! Wer bietet?",
      dealEnded: "Verkauft!",
      dealCancelled: "Versteigerung abgebrochen",
      chart: "Kontostände",
      chartAlt: ({ players }) => `Der Kontostand jedes Spielers nach jeder Buchung. Jetzt: ${players}`,
      ownCard: "Deine Karte",
      whichCard: "Welche Karte ist deine?",
      iAm: ({ name }) => `Ich bin ${name}`,
      notMine: "Nicht ich",
      notInGame: "nicht in diesem Spiel",
      ranking: "Das Spiel ist aus",
      worthParts: ({ cash, property }) => `${cash} bar + ${property} Besitz`,
      shareRanking: "Teilen",
      saveRanking: "Bild speichern",
      place: ({ place }) => `Platz ${place}`,
      undo: ({ amount, payer, receiver }) => `${amount} von ${payer} an ${receiver} rückgängig machen`,
      nothingToUndo: "Nichts rückgängig zu machen",
      newGame: "Neues Spiel …",
      newGameTitle: "Neues Spiel beginnen?",
      newGameText: "Jede Karte bekommt das Startgeld. Das laufende Spiel bleibt im Kassenbuch.",
      edition: "Ausgabe",
      startGame: "Beginnen",
      endGame: "Spiel beenden …",
      endGameTitle: "Spiel beenden?",
      endGameText: "Gib ein, was Grundstücke, Häuser und Hotels jedes Spielers wert sind. Sie zählen für die Rangliste; gebucht wird nichts.",
      showRanking: "Rangliste zeigen",
      notAnAmount: ({ text, units }) => `„${text}“ ist kein Betrag${units ? ": K oder M anhängen, zum Beispiel 1.5M" : ""}`,
      names: "Namen",
      nameOf: ({ card }) => `Name von ${card}`,
      payTitle: "Zahlen",
      payWhat: "Was",
      payTo: ({ to }) => `An ${to} zahlen`,
      payFrom: ({ from }) => `Von ${from} bekommen`,
      amount: "Betrag",
      payAsk: "Anfragen",
      paySalary: ({ amount }) => `LOS: ${amount} bekommen`,
      payJoin: ({ amount }) => `Mitspielen mit ${amount}`,
      payWaits: ({ payment }) => `${capital(payment)}: wartet auf GO am Bankgerät oder auf die Spielleitung.`,
      payBooked: ({ payment }) => `Erledigt: ${payment}.`,
      payNot: ({ payment, why }) => `Nicht gebucht: ${payment}. Grund: ${why}.`,
      payTooOften: ({ seconds }) => `Zu viele Anfragen. Nächster Versuch in ${seconds} s.`,
      payments: "Anfragen der Spieler",
      payConfirm: "Bestätigen",
      payReject: "Ablehnen",
    },
    parts: {
      bank: "Bankgerät",
      "left slot": "Linker Schlitz",
      "right slot": "Rechter Schlitz",
      display: "Anzeige",
      keypad: "Tastenfeld",
      ledger: "Kassenbuch",
      clock: "Uhr",
    },
    requests: {
      new_game: "neues Spiel",
      end_game: "Spielende",
      undo: "Buchung rückgängig machen",
      name: "Karte benennen",
      ask_payment: "Zahlung anfragen",
      confirm_payment: "Zahlung bestätigt",
      reject_payment: "Zahlung abgelehnt",
    },
    payments: {
      moves: (amount, payer, receiver) => `${amount} von ${payer} an ${receiver}`,
      joins: (who) => `${who} spielt mit`,
      booked: "gebucht",
      rejected: "abgelehnt",
      expired: "nicht rechtzeitig bestätigt",
    },
    rejections: {
      zero: "kein Betrag",
      "too fine": "feiner als das kleinste Geld",
      "too long": "mehr als fünf Ziffern",
      "two points": "zwei Punkte",
      "too much": "so viel passt auf keine Karte",
      "no funds": "zu wenig Geld",
      "pot empty": "so viel ist nicht im Topf",
      "no card": "keine Karte im Schlitz",
      "not in the game": "diese Karte spielt nicht mit",
      "asked already": "die letzte Anfrage dieser Karte wartet noch",
      "another game": "es läuft ein anderes Spiel",
      "game over": "das Spiel ist zu Ende",
      "unknown card": "unbekannte Karte",
      "same card twice": "dieselbe Karte zweimal",
      "nothing to undo": "nichts rückgängig zu machen",
      bankrupt: "diese Karte ist bankrott",
      "no other game": "kein anderes Spiel gespeichert",
      "cards in": "erst die Karten herausnehmen",
      "no edition": "diese Ausgabe gibt es nicht mehr",
      "two cards": "nur eine Karte auf einmal",
      dialog: "erst das Menü schließen",
      disk: "nicht gespeichert, kein Geld ist geflossen",
      torn: "der Anfang fehlt, bitte noch einmal tippen",
      unclear: "mehrere Tasten auf einmal",
      "too fast": "zu schnell getippt",
    },
    accounts: {
      bank: { nominative: "die Bank", from: "der Bank", to: "die Bank" },
      pot: { nominative: "der Topf", from: "dem Topf", to: "den Topf" },
      card: (number) => `Karte ${number}`,
      unknown: "eine unbekannte Karte",
    },
    reasons: {
      start: "Startgeld",
      salary: "über LOS",
      bankrupt: "bankrott",
      undo: "Korrektur",
      coins: "Münzen",
      laugh: "Lachen",
      game_over: "Game over",
    },
    sentences: {
      "card.inserted": (event, table) => `${card(event, table)} in den ${SLOTS[event.slot]} Schlitz`,
      "card.removed": (event, table) => `${card(event, table)} aus dem ${SLOTS[event.slot]} Schlitz`,
      transfer: (event, table) =>
        `${money(event.amount, table)} von ${holder(event.from, table, "from")} an ${holder(event.to, table, "to")}${suffix(event)}`,
      "payment.asked": (event, table) => `Anfrage: ${payment(event, table)}`,
      "payment.ended": (event, table) => `${payment(event, table)}: ${whyEnded(event)}`,
      refused: ({ why }) => `abgelehnt: ${rejection(why) ?? why}`,
      "game.started": ({ game }) => `Spiel ${game} beginnt`,
      "game.resumed": ({ game }) => `Spiel ${game} geht weiter`,
      "game.ended": (event) => `Spiel ${event.game} ist zu Ende; Platz 1: ${winners(event)}`,
      "game.clock": ({ minutes }) =>
        minutes === null ? "Spieluhr aus" : minutes ? `noch ${minutes} Minuten Spielzeit` : "die Spielzeit ist um",
      named: ({ number, name }) => (name ? `Karte ${number} heißt ${name}` : `Karte ${number} hat keinen Namen mehr`),
      "deal.started": () => "die Versteigerung läuft",
      "deal.tick": () => "tick",
      "deal.ended": () => "verkauft: Die Versteigerung ist zu Ende",
      "deal.cancelled": () => "die Versteigerung ist abgebrochen",
    },
  },
};

const SLOTS = { left: "linken", right: "rechten" };
