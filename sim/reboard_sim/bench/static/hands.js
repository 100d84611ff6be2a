// Hands at the table: lines of a play, sent one after the other. What different hands do, they do at the same time.

const MOST_LINES = 200;

const page = Math.random().toString(36).slice(2);

let count = 0;
let done = () => {};
let refused = () => {};

/** Tell `onDone(table)` after each thing done, and `onRefused(sentence)` when one cannot be done. */
export function watchHands(onDone, onRefused) {
  done = onDone;
  refused = onRefused;
}

/** A new hand: a function that does lines after all that it was asked to do before. */
export function hand() {
  const waiting = [];
  const name = newName(); // while the clock stands, lines are answered before they are done: the bench keeps the order
  let busy = false;

  async function work() {
    busy = true;
    while (waiting.length) {
      const lines = waiting.splice(0, MOST_LINES);
      const failed = await send(lines, name);
      // what follows a line that cannot be done is done all the same: a key that was held is let go
      waiting.unshift(...lines.slice(failed));
    }
    busy = false;
  }

  return (...lines) => {
    waiting.push(...lines);
    if (!busy) void work();
  };
}

function newName() {
  count += 1;
  return `${page} ${count}`;
}

/** Send the lines; the number of the last one that is done with. */
async function send(lines, name) {
  try {
    const answer = await fetch("/api/bench/do", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ lines, hand: name }),
      keepalive: true,
    });
    const told = await answer.json();
    if (answer.ok) {
      done(told);
      return lines.length;
    }
    refused(told.error);
    return told.line ?? lines.length;
  } catch {
    refused("The bench does not answer: is reboard-sim still running?");
    return lines.length;
  }
}
