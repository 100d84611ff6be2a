// What came with the page: the state of the table, and the files in the page's scripts.

let state = null;

/** The state that the server put into the page. */
export function firstState() {
  return (state ??= JSON.parse(document.getElementById("first-state").textContent));
}

/** The text of a file, such as "/static/panels/bank/card.svg". */
export function fileText(path) {
  const text = globalThis.bundled.text(path);
  if (text === undefined) throw new Error(`${path} is not in the page's scripts`);
  return text;
}
