// The standings across all tables: each player's shares, round by round, since a time in the page's address.


import { element, show, showMessage } from "./element.js";
import { plural, spoken, text, textOf } from "/static/text.js";

const LOOK_MS = 5000;

export function ranked() {
  const table = document.getElementById("ranked");
  const since = document.getElementById("since");
  const query = new URLSearchParams(location.search);
  let found = null;
  let shown = "";
  show("standings-view", true);
  document.getElementById("csv").href = `/standings.csv?${asked()}`;
  since.addEventListener("change", () => {
    // with its zone, because the hall can be in another one than this browser
    location.search = since.value ? new URLSearchParams({ since: new Date(since.value).toISOString() }) : "";
  });

  function asked() {
    return query.has("since") ? new URLSearchParams({ since: query.get("since") }) : "";
  }

  async function load() {
    const answer = document.hidden ? null : await fetch(`/api/standings?${asked()}`).catch(() => null);
    if (answer) {
      const body = await answer.json().catch(() => ({}));
      showMessage(document.getElementById("standings-problem"), answer.ok ? "" : textOf("why a request failed", "{why}", { why: body.error }));
      if (answer.ok) found = body;
      draw();
    }
    setTimeout(load, LOOK_MS);
  }

  function draw() {
    if (!found) return;
    if (!since.value) since.value = localTime(found.since);
    const now = JSON.stringify({ ...found, since: 0 });
    if (now === shown) return;
    shown = now;
    const head = element("tr");
    const rounds = Array.from({ length: found.rounds }, (_, i) => i + 1);
    for (const [label, kind] of [[text("Place")], [text("Player"), "who"], [text("Total")]]) head.append(cell("th", label, kind));
    for (const round of rounds) head.append(cell("th", text("Round {round}", { round }), "round"));
    const top = element("thead");
    const body = element("tbody");
    top.append(head);
    body.append(...found.players.map(row));
    table.replaceChildren(...(found.players.length ? [top, body] : []));
    show("no-standings", found.players.length === 0);
    const names = new Intl.ListFormat(spoken());
    const { doubled, cut, left_out: count, earlier } = found;
    note("doubled", doubled.length && text("Several players have the same name in one round: {doubled}. Their shares are added up.", { doubled: names.format(doubled) }));
    note("cut", cut.length && text("Only a table's latest 100 games count, and these have more: {cut}. Choose a later time.", { cut: names.format(cut) }));
    note("left-out", count && plural("One more player is left out.", "{n} more players are left out.", count));
    note("earlier", earlier && plural("One game began earlier, so it does not count.", "{n} games began earlier, so they do not count.", earlier));
  }

  /** Show a sentence about the standings, or hide it. */
  function note(id, words) {
    showMessage(document.getElementById(id), words || "");
  }

  function row({ place, name, table: at, card, total, shares }) {
    const played = Array.from({ length: found.rounds }, (_, i) => shares[i] ?? null);
    const made = element("tr", "", place === 1 ? "leader" : "");
    made.append(
      cell("td", place),
      cell("th", name || `${at} · ${text("card {number}", { number: card })}`, "who"),
      cell("td", percent(total), "total"),
      ...played.map((share) => cell("td", share === null ? "–" : percent(share), "round")),
    );
    return made;
  }

  return { draw, loaded: load() };
}

function cell(kind, content, className = "") {
  const made = element(kind, content, className);
  if (kind === "th") made.scope = className === "who" && made.textContent !== text("Player") ? "row" : "col";
  return made;
}

function percent(share) {
  return share.toLocaleString(spoken(), { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** Seconds since 1970 as the value of a field for a date and time. */
function localTime(seconds) {
  const at = new Date(seconds * 1000);
  return new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
