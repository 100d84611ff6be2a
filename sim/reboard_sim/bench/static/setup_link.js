// Turns a setup and the lines done at its table into an address, and reads such an address.

import { spoken, text } from "/static/text.js";

import { deflated, inflated } from "./deflate.js";
import { KEY as TAB, TABS } from "./inside.js";

const NAMES = ["edition", "wiring", "left", "right", "seed"];
const SETUP_PARAMETERS = [...NAMES, "do"];
const PACKED = ["wiring", "play"]; // behind the "#"
const MOST_PARAMETERS = 1500; // characters; a longer session is packed
const LONGEST = 8000;

/** An error in an address, with a sentence for the user. */
export class LinkError extends Error {}

/** The user's own wiring, packed as a parameter after the "#". Empty for any other wiring. */
export async function packedWiring({ wiring }) {
  return new URLSearchParams(wiring.text === undefined ? {} : { wiring: await deflated(wiring.text) });
}

/** Return `here` with the parameters of this scene, whose wiring is `packed`, and with the open tab. */
export function addressOf(scene, packed, here) {
  const address = new URL(here);
  const tab = address.searchParams.get(TAB);
  address.search = new URLSearchParams([...parameters(scene)]);
  if (TABS.includes(tab)) address.searchParams.set(TAB, tab);
  address.hash = packed;
  if (String(address).length > LONGEST) address.hash = "";
  return address;
}

/** Return the address that loads a scene and carries out these lines; null if it would be too long. */
export async function linkTo(scene, lines) {
  const packed = await packedWiring(scene);
  const address = addressOf(scene, new URLSearchParams(), new URL(".", document.baseURI));
  const plain = new URL(address);
  for (const line of lines) plain.searchParams.append("do", line);
  if (String(plain).length <= MOST_PARAMETERS) address.search = plain.search;
  else packed.set("play", await deflated(lines.join("\n")));
  address.hash = packed;
  return String(address).length <= LONGEST ? String(address) : null;
}

/** Return the setup and the lines that an address requests, or null. Throws if the address is invalid: a `LinkError` has the reason. */
export async function requestIn({ search, hash }) {
  const given = filled(search);
  const packed = filled(hash.slice(1));
  const twice = [...NAMES, TAB].find((name) => given.getAll(name).length > 1) ?? PACKED.find((name) => packed.getAll(name).length > 1);
  if (twice) throw new LinkError(text("“{name}” is in it twice. Remove one of them.", { name: twice }));
  given.delete("lang"); // the server has read it
  rejectUnknown("?", given, [...SETUP_PARAMETERS, TAB]);
  rejectUnknown("#", packed, PACKED);
  if (given.has(TAB) && !TABS.includes(given.get(TAB))) throw new LinkError(text("“{name}” must be one of {names}.", { name: TAB, names: TABS.join(", ") }));
  if (!SETUP_PARAMETERS.some((name) => given.has(name)) && !packed.has("play")) return null;
  const setup = Object.fromEntries(NAMES.filter((name) => given.has(name)).map((name) => [name, given.get(name)]));
  if (packed.has("wiring")) setup.wiring = { name: setup.wiring ?? "table.toml", text: await inflated(packed.get("wiring")) };
  if (/^\d+$/.test(setup.seed)) setup.seed = Number(setup.seed);
  const lines = packed.has("play") ? (await inflated(packed.get("play"))).replace(/\n$/, "").split("\n") : given.getAll("do");
  return { setup, lines };
}

/** Return whether the table already has the setup that an address requests. */
export function isLoaded({ setup, lines }, scene) {
  const text = setup.wiring?.text ?? scene.wiring.text;
  const loaded = Object.fromEntries(parameters(scene));
  const isEqual = ([name, value]) => String(value?.name ?? value) === String(loaded[name]);
  return !lines.length && text === scene.wiring.text && Object.entries(setup).every(isEqual);
}

function rejectUnknown(sign, parameters, known) {
  const unknown = [...parameters.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const names = new Intl.ListFormat(spoken() === "en" ? "en-GB" : spoken()).format(known.map((name) => `“${name}”`));
  throw new LinkError(text("“{name}” is not known. Only {names} can follow “{sign}”.", { name: sign + unknown, names, sign }));
}

/** Return the parameters in `text` that have a value. */
function filled(text) {
  return new URLSearchParams([...new URLSearchParams(text)].filter(([, value]) => value));
}

function* parameters(scene) {
  for (const name of NAMES) {
    const value = name === "wiring" ? scene.wiring.name ?? scene.wiring : scene[name];
    if (value !== null && value !== undefined) yield [name, value];
  }
}
