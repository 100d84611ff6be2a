// A scene, and what was done at it, as an address; and an address read as what it asks for.

import { deflated, inflated } from "./deflate.js";

const NAMES = ["edition", "wiring", "left", "right", "seed"];
const OURS = [...NAMES, "do"];
const PACKED = ["wiring", "play"]; // behind the "#"
const MOST_PARAMETERS = 1500; // characters: a longer session is packed
const LONGEST = 8000;

/** A wiring of one's own, as it stands behind the "#"; nothing of any other. */
export async function packedWiring({ wiring }) {
  return new URLSearchParams(wiring.text === undefined ? {} : { wiring: await deflated(wiring.text) });
}

/** The address `here`, now of this scene, whose wiring was packed; what else stands in it stays. */
export function addressOf(scene, packed, here) {
  const address = new URL(here);
  for (const name of OURS) address.searchParams.delete(name);
  for (const [name, value] of parameters(scene)) address.searchParams.append(name, value);
  const fragment = new URLSearchParams(address.hash.slice(1));
  if (packed.has("wiring") || PACKED.some((name) => fragment.has(name))) address.hash = packed;
  if (String(address).length > LONGEST) address.hash = "";
  return address;
}

/** The address of a scene in which these lines were done; null when it would be too long. */
export async function linkTo(scene, lines) {
  const packed = await packedWiring(scene);
  const address = addressOf(scene, new URLSearchParams(), new URL("/", location));
  const plain = new URL(address);
  for (const line of lines) plain.searchParams.append("do", line);
  if (String(plain).length <= MOST_PARAMETERS) address.search = plain.search;
  else packed.set("play", await deflated(lines.join("\n")));
  address.hash = packed;
  return String(address).length <= LONGEST ? String(address) : null;
}

/** The wish and the lines that an address asks for, or null. Throws when what is packed cannot be read. */
export async function askedFor({ search, hash }) {
  const said = filled(search);
  const packed = filled(hash.slice(1));
  if (!OURS.some((name) => said.has(name)) && !packed.has("play")) return null;
  const wish = Object.fromEntries(NAMES.filter((name) => said.has(name)).map((name) => [name, said.get(name)]));
  if (packed.has("wiring")) wish.wiring = { name: wish.wiring ?? "table.toml", text: await inflated(packed.get("wiring")) };
  if (/^\d+$/.test(wish.seed)) wish.seed = Number(wish.seed);
  const lines = packed.has("play") ? (await inflated(packed.get("play"))).replace(/\n$/, "").split("\n") : said.getAll("do");
  return { wish, lines };
}

/** Whether what an address asks for is on the table already. */
export function isThere({ wish, lines }, scene) {
  const text = wish.wiring?.text ?? scene.wiring.text;
  const there = Object.fromEntries(parameters(scene));
  const alike = ([name, value]) => String(value?.name ?? value) === String(there[name]);
  return !lines.length && text === scene.wiring.text && Object.entries(wish).every(alike);
}

/** The parameters in `text` that have a value. */
function filled(text) {
  return new URLSearchParams([...new URLSearchParams(text)].filter(([, value]) => value));
}

function* parameters(scene) {
  for (const name of NAMES) {
    const value = name === "wiring" ? scene.wiring.name ?? scene.wiring : scene[name];
    if (value !== null && value !== undefined) yield [name, value];
  }
}
