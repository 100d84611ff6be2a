// The ledger's last rows, as its file has them.

import { plural, text } from "/static/text.js";

import { debouncedFetch } from "../debounced_fetch.js";

const WRITING_EVENTS = ["transfer", "game.started", "game.resumed", "recovered", "fault"];

export function ledger(panel, faults) {
  const summary = panel.querySelector(".said");
  const [head, body] = [panel.querySelector("thead"), panel.querySelector("tbody")];
  const meanings = new Map(faults.map(({ name, meaning }) => [name, meaning]));
  let isShown = false;
  let disk = [];
  let content = { columns: [], rows: [], problem: null };

  const file = debouncedFetch("api/bench/ledger", (answer) => {
    content = answer;
    head.replaceChildren(row("th", content.columns));
    body.replaceChildren(...content.rows.map((values) => row("td", values.map((value, n) => (content.columns[n] === "at" ? calendar(value) : value ?? "")))));
    summarise();
  });

  function updateSoon() {
    if (isShown) file.soon();
  }

  function row(cell, values) {
    const line = document.createElement("tr");
    line.append(...values.map((value, n) => {
      const one = document.createElement(cell);
      if (cell === "th") one.scope = "col";
      one.className = content.columns[n];
      one.textContent = value;
      return one;
    }));
    return line;
  }

  function summarise() {
    const problems = disk.map((name) => text("Fault: {meaning} The rows are those in the file.", { meaning: meanings.get(name) }));
    const rows = plural("The only row, read from the file as it is.", "The last {n} rows, the latest first, read from the file as it is.", content.rows.length);
    const words = [content.problem ?? (content.rows.length ? rows : text("No row yet.")), ...problems].join(" ");
    if (summary.textContent !== words) summary.textContent = words;
    summary.classList.toggle("bad", Boolean(content.problem || disk.length));
  }

  return {
    clear: updateSoon,
    update({ events = [] }) {
      if (events.some(({ event }) => WRITING_EVENTS.includes(event))) updateSoon();
    },
    hardware({ faults: now }) {
      disk = now.filter((name) => name.startsWith("disk"));
      summarise();
    },
    show(now) {
      isShown = now;
      if (now) file.now();
      else file.stop();
    },
    close: file.stop,
  };
}

/** Format seconds since 1970, the virtual Pi's calendar. */
function calendar(at) {
  return new Date(at * 1000).toISOString().replace("T", " ").replace("Z", "");
}
