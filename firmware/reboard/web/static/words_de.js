// The table's words in German.

const coins = (n) => (n === 1 ? "1 Münze" : `${n} Münzen`);
const SLOTS = { left: "linken", right: "rechten" };
const PARTS = {
  "left slot": "Schlitz links",
  "right slot": "Schlitz rechts",
  speaker: "Lautsprecher",
  display: "Anzeige",
  keypad: "Tastenfeld",
  ledger: "Kassenbuch",
  clock: "Uhr",
  config: "Einstellungen",
  block: "Fragezeichenblock",
  apple: "Wurmapfel",
  bank: "Bankgerät",
};
const part = (name) => PARTS[name] ?? name;

export default {
  bank: { alone: "die Bank", from: "der Bank", to: "die Bank" },
  account: (number) => `Karte ${number}`,
  stranger: "eine Karte, die nicht gilt,",

  outcomes: { none: "noch nicht gedrückt", coins, power_up: "ein Power-up", laugh: "ein Lachen", game_over: "Game over" },
  worms: { dance: "die Würmer tanzen", wound: "gespannt: loslassen!", rest: "in Ruhe" },

  reasons: {
    start: "Startgeld",
    salary: "über LOS",
    received: "von der Bank",
    paid: "an die Bank",
    players: "unter Spielern",
    bankrupt: "bankrott",
    undo: "zurückgenommen",
    recovered: "wiedergefunden",
  },
  seenByHolders: new Set(["received", "paid", "players"]),

  refusals: {
    zero: "kein Betrag",
    "too fine": "feiner als das kleinste Geld",
    "too long": "mehr als fünf Ziffern",
    "two points": "zwei Punkte",
    "too much": "so viel passt auf keine Karte",
    "no funds": "zu wenig Geld",
    "no card": "keine Karte im Schlitz",
    "unknown card": "unbekannte Karte",
    "same card twice": "dieselbe Karte zweimal",
    "nothing to undo": "nichts zurückzunehmen",
    bankrupt: "diese Karte ist bankrott",
    "no other game": "kein anderes Spiel aufgehoben",
    "cards in": "erst die Karten herausnehmen",
    "no edition": "diese Ausgabe gibt es nicht mehr",
    "two cards": "nur eine Karte auf einmal",
    dialog: "erst das Menü schließen",
    disk: "nicht gespeichert, nichts ist geflossen",
    torn: "der Anfang ging verloren, bitte neu tippen",
    unclear: "mehrere Tasten auf einmal",
    "too fast": "zu schnell getippt",
  },

  wishes: { volume: "Lautstärke", quiet: "stiller Block", new_game: "neues Spiel", end_game: "Spielende", undo: "zurückbuchen", name: "Karte benennen" },

  sentences: {
    "block.pressed": () => "der Fragezeichenblock wird gedrückt",
    "block.outcome": ({ outcome }) => `Fragezeichenblock: ${outcome}`,
    "card.inserted": ({ slot, card }) => `${card} in den ${SLOTS[slot]} Schlitz`,
    "card.removed": ({ slot, card }) => `${card} aus dem ${SLOTS[slot]} Schlitz`,
    transfer: ({ amount, payer, receiver, because }) => `${amount} von ${payer} an ${receiver}${because}`,
    refused: ({ why }) => `abgelehnt: ${why}`,
    "game.started": ({ game }) => `Spiel ${game} beginnt`,
    "game.resumed": ({ game }) => `Spiel ${game} geht weiter`,
    "game.ended": ({ game, winners }) => `Spiel ${game} ist zu Ende; Platz 1: ${winners}`,
    named: ({ number, name }) => (name ? `Karte ${number} heißt ${name}` : `Karte ${number} hat keinen Namen mehr`),
    requested: ({ wish, by }) => `${by} wünscht: ${wish}`,
    "deal.started": () => "das Gebot läuft",
    "deal.tick": () => "tick",
    "deal.ended": () => "verkauft! Das Gebot ist zu Ende",
    "deal.cancelled": () => "das Gebot ist abgebrochen",
    "apple.wound": () => "der Apfel ist gespannt",
    "apple.started": ({ seconds }) => `die Würmer tanzen ${String(seconds).replace(".", ",")} s lang`,
    "apple.stopped": () => "die Würmer halten an",
    sound: ({ name }) => `Klang: ${name}`,
    lamp: ({ on }) => `Lampe ${on ? "an" : "aus"}`,
    motor: ({ level }) => `Motor auf ${Math.round(level * 100)} %`,
    display: ({ lines }) => `Anzeige: „${lines.map((line) => line.trimEnd()).join(" ⏐ ")}“`,
    volume: ({ level }) => (level ? `Lautstärke ${level} von 4` : "der Ton ist aus"),
    quiet: ({ on }) => (on ? "der Block ist still" : "der Block ist wieder zu hören"),
    fault: ({ part: name, cause }) => `${part(name)}: ${cause}`,
    recovered: ({ part: name }) => `${part(name)} geht wieder`,
  },
};
