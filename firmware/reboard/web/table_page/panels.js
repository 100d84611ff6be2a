// The panels of the accessories. Each accessory has its files under /static/panels/<name>/, all of them optional:
//
// panel.html  elements, each with data-place: "main", "side", "host" (the host's controls) or "dialogs"
// panel.css   their style; art.css is that of a drawing, which the bench shows too
// words.js    words in every language
// panel.js    a function ({ act, ask, asks }) => { table(table), event(event, isPast), connection(state) }, each of them optional.
//             act(request, arguments) sends a request of the host, and returns why it failed, or "".
//             ask(request, arguments) sends a request of a player, and returns `{ ok, status, body }`, or null without an
//             answer; asks has the names of those requests that this page may send.
//             usesEdition: true for an accessory that plays by the rules of the edition.
//
// An accessory without panel.js gets the generic panel.

import { fillDrawings } from "/static/art.js";
import { loadAccessories } from "/static/words.js";

import { genericPanel } from "./generic_panel.js";
import { translate } from "./language.js";

/** Load every panel. A panel is shown while its accessory is part of the table. */
export async function loadPanels(page) {
  const loaded = await Promise.all((await loadAccessories()).map(load));
  try {
    for (const accessory of loaded) accessory.frames = place(accessory);
    await fillDrawings();
    translate();
    for (const accessory of loaded) {
      accessory.panel = accessory.make ? await accessory.make({ ...page, asks: accessory.asks }) : genericPanel(accessory, page);
      if (!accessory.make) accessory.frames = accessory.panel.frames;
    }
  } catch (error) {
    for (const left of document.querySelectorAll("[data-panel]")) left.remove(); // the next attempt places them again
    throw error;
  }
  const present = () => loaded.filter(({ isPresent }) => isPresent);

  return {
    table(table) {
      for (const accessory of loaded) {
        accessory.isPresent = isPresent(accessory, table);
        for (const frame of accessory.frames) frame.hidden = !accessory.isPresent;
      }
      for (const { panel } of present()) panel.table?.(table);
    },
    event(event, isPast) {
      for (const { panel } of present()) panel.event?.(event, isPast);
    },
    connection(state) {
      for (const { panel } of loaded) panel.connection?.(state);
    },
    usesEdition: () => present().some(({ panel }) => panel.usesEdition),
  };
}

async function load(accessory) {
  const url = (file) => (accessory.files.includes(file) ? `/static/panels/${accessory.name}/${file}` : null);
  const [markup, module] = await Promise.all([
    url("panel.html") ? markupOf(url("panel.html")) : [],
    url("panel.js") ? import(url("panel.js")) : {},
    ...["art.css", "panel.css"].map((file) => url(file) && style(url(file))),
  ]);
  return { ...accessory, markup, make: module.default, isPresent: false };
}

async function markupOf(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
  return [...parsed.body.children].map((child) => document.importNode(child, true));
}

function style(url) {
  if (document.querySelector(`link[href="${url}"]`)) return null; // an earlier attempt got this far
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: url });
  document.head.append(link);
  return new Promise((done) => {
    link.addEventListener("load", done);
    link.addEventListener("error", done);
  });
}

/** Put the elements of a panel into their places, and return their frames. */
function place({ name, markup }) {
  const frames = new Map();
  for (const child of markup) {
    const where = child.dataset.place;
    if (!frames.has(where)) frames.set(where, frame(name, where));
    frames.get(where).append(child);
  }
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
