// The ledger's last rows, as its file has them.

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
    const problems = disk.map((name) => `${meanings.get(name)}. The rows are those in the file.`);
    const rows = content.rows.length === 1 ? "The only row" : `The last ${content.rows.length} rows, the latest first`;
    const text = [content.problem ?? (content.rows.length ? `${rows}, read from the file as it is.` : "No row yet."), ...problems].join(" Fault: ");
    if (summary.textContent !== text) summary.textContent = text;
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
