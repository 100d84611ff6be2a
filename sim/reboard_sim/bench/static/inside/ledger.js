// The ledger's last rows, as they stand in its file.

import { asking } from "../asking.js";

const TOUCHES = ["transfer", "game.started", "game.resumed", "recovered", "fault"];

export function ledger(panel, faults) {
  const said = panel.querySelector(".said");
  const [head, body] = [panel.querySelector("thead"), panel.querySelector("tbody")];
  const meanings = new Map(faults.map(({ name, meaning }) => [name, meaning]));
  let isShown = false;
  let disk = [];
  let told = { columns: [], rows: [], problem: null };

  const file = asking("/api/bench/ledger", (answer) => {
    told = answer;
    head.replaceChildren(row("th", told.columns));
    body.replaceChildren(...told.rows.map((values) => row("td", values.map((value, n) => (told.columns[n] === "at" ? calendar(value) : value ?? "")))));
    say();
  });

  function askSoon() {
    if (isShown) file.soon();
  }

  function row(cell, values) {
    const made = document.createElement("tr");
    made.append(...values.map((value, n) => {
      const one = document.createElement(cell);
      if (cell === "th") one.scope = "col";
      one.className = told.columns[n];
      one.textContent = value;
      return one;
    }));
    return made;
  }

  function say() {
    const trouble = disk.map((name) => `${meanings.get(name)}. The rows are those in the file.`);
    const rows = told.rows.length === 1 ? "The only row" : `The last ${told.rows.length} rows, the latest first`;
    const text = [told.problem ?? (told.rows.length ? `${rows}, read from the file as it is.` : "No row yet."), ...trouble].join(" Fault: ");
    if (said.textContent !== text) said.textContent = text;
    said.classList.toggle("bad", Boolean(told.problem || disk.length));
  }

  return {
    begins: askSoon,
    news({ events = [] }) {
      if (events.some(({ event }) => TOUCHES.includes(event))) askSoon();
    },
    hardware({ faults: now }) {
      disk = now.filter((name) => name.startsWith("disk"));
      say();
    },
    show(now) {
      isShown = now;
      if (now) file.now();
      else file.rest();
    },
    end: file.rest,
  };
}

/** Seconds since 1970, as the virtual Pi's calendar has them. */
function calendar(at) {
  return new Date(at * 1000).toISOString().replace("T", " ").replace("Z", "");
}
