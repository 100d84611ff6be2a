// The panels of the accessories. Each accessory has its files under /static/panels/<name>/, all of them optional:
//
// panel.html  elements, each with data-place: "top", "main", "side", "host" (the host's controls)
//             or "dialogs". The TV view shows sheets with data-tv; those with data-tv="fill" share the height that is left
// panel.css   their style; art.css is that of a drawing, which the bench shows too
// words.js    the words for its events and its state: see words.js
// panel.js    a function ({ act, ask, asks }) => { table(table), event(event, isPast), connection(state) }, each of them optional.
//             act(request, arguments) sends a request of the host, and returns why it failed, or "".
//             ask(request, arguments) sends a request of a player, and returns `{ ok, status, body }`, or null without an
//             answer; asks has the names of those requests that this page may send.
//             past(table) returns events that the snapshot has, newest first, each with its time `at`, for the list of events;
//             loadPast() makes it return all of them, for a reader who looks up one player.
//             hostAction(event, table) returns what the host can do about an event with an amount, `{ label, about, run() }`,
//             or null.
//             codeToJoin() returns the code with which another phone joins, or "".
//             usesEdition: true for an accessory that plays by the rules of the edition.
//
// An accessory without panel.js gets the generic panel, as does one whose panel fails. These files are in the page's
// scripts: see bundle.py.

import { fillDrawings } from "/static/art.js";
import { fileText } from "/static/page_data.js";
import { loadAccessories } from "/static/words.js";

import { genericPanel } from "./generic_panel.js";

/** Make every panel. A panel is shown while its accessory is part of the table. */
export async function loadPanels(page) {
  const loaded = [];
  for (const accessory of await loadAccessories()) {
    await globalThis.bundled.breathe();
    loaded.push(await withPanel(accessory, page));
  }
  const present = () => loaded.filter(({ isPresent }) => isPresent);

  return {
    table(table) {
      for (const accessory of loaded) {
        accessory.isPresent = isPresent(accessory, table);
        for (const frame of accessory.frames) frame.hidden = !accessory.isPresent;
      }
      each(present(), "table", table);
    },
    event: (event, isPast) => each(present(), "event", event, isPast),
    connection: (state) => each(loaded, "connection", state),
    past: (table) => each(present(), "past", table).flatMap((events) => events ?? []),
    loadPast: () => Promise.all(each(present(), "loadPast")),
    hostAction: (event, table) => each(present(), "hostAction", event, table).find(Boolean),
    codeToJoin: async () => (await Promise.all(each(present(), "codeToJoin"))).find(Boolean) ?? "",
    usesEdition: () => present().some(({ panel }) => panel.usesEdition),
  };
}

/** Call a method of each panel that has it, and return the results. A panel that fails does not stop the others. */
function each(accessories, method, ...args) {
  return accessories.map(({ panel }) => {
    try {
      return panel[method]?.(...args);
    } catch (error) {
      console.error(error);
      return undefined;
    }
  });
}

async function withPanel(accessory, page) {
  const { name, files } = accessory;
  let frames = [];
  if (files.includes("panel.js")) {
    try {
      if (files.includes("panel.html")) frames = place(name, fileText(`/static/panels/${name}/panel.html`));
      const { default: make } = await import(`/static/panels/${name}/panel.js`);
      return { ...accessory, frames, panel: await make({ ...page, asks: accessory.asks }) };
    } catch (error) {
      console.error(error);
      for (const frame of frames) frame.remove();
    }
  }
  const panel = genericPanel(accessory, page);
  return { ...accessory, frames: panel.frames, panel };
}

/** Put the elements of a panel into their places, and return their frames. */
function place(name, markup) {
  const frames = new Map();
  for (const child of new DOMParser().parseFromString(markup, "text/html").body.children) {
    const where = child.dataset.place;
    if (!frames.has(where)) frames.set(where, frame(name, where));
    frames.get(where).append(document.importNode(child, true));
  }
  for (const frame of frames.values()) fillDrawings(frame);
  return [...frames.values()];
}

/** A hidden frame for the elements of an accessory. */
export function frame(name, where) {
  const made = document.createElement("div");
  made.className = "panel";
  made.dataset.panel = name;
  made.hidden = true;
  document.getElementById(`${where}-panels`).append(made);
  return made;
}

/** Whether the table has an accessory: then its part of the snapshot is not that of a table without it. */
function isPresent({ name, absent }, table) {
  const keys = Object.keys(absent);
  if (keys.length === 0) return name in table;
  return keys.some((key) => key in table && JSON.stringify(table[key]) !== JSON.stringify(absent[key]));
}
