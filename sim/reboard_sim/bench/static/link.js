// A link to what is on the table: the scene, and what was done at it. Who opens one is asked before it does anything.

import { deflated, inflated } from "./deflate.js";
import { READERS, setScene } from "./scene.js";

const NAMES = ["edition", "wiring", "left", "right", "seed"];
const OURS = [...NAMES, "do"];
const MOST_PARAMETERS = 1500; // characters: a longer session stands behind the "#", packed
const LONGEST = 8000;
const SAID_MS = 2500;

export function link(editions) {
  const banner = document.getElementById("link");
  const copy = document.getElementById("copy-link");
  const label = copy.textContent;
  let now = null;
  let asked = null;

  function says(sentence) {
    document.getElementById("link-says").textContent = sentence;
    banner.hidden = false;
  }

  /** The address shows what is on the table; what else stands in it stays. */
  function show() {
    const here = new URL(location);
    for (const name of OURS) here.searchParams.delete(name);
    for (const [name, value] of parameters(now)) here.searchParams.append(name, value);
    if (here.hash.startsWith("#play=")) here.hash = "";
    history.replaceState(history.state, "", here);
  }

  function leave() {
    asked = null;
    banner.hidden = true;
    show();
  }

  document.getElementById("link-leave").addEventListener("click", leave);
  document.getElementById("link-set").addEventListener("click", async () => {
    const wrong = await setScene(asked.wish, asked.lines);
    if (wrong) says(`That does not go: ${wrong}`);
    else leave();
  });
  copy.addEventListener("click", async () => {
    const address = await linkTo(now, await session());
    copy.textContent = address ? await copied(address) : "Too long: save it";
    setTimeout(() => { copy.textContent = label; }, SAID_MS);
  });

  async function read() {
    try {
      asked = await askedFor(location);
    } catch {
      says("This link cannot be read: was it cut off?");
      document.getElementById("link-set").hidden = true;
      return;
    }
    if (!asked || isSame(asked, now)) leave();
    else says(`This link sets the table anew: ${described(asked, editions)}. What is on it now is taken away.`);
  }

  return {
    /** There is another scene on the table. */
    changed(scene) {
      const isFirst = !now;
      now = scene;
      if (isFirst) void read();
      else if (banner.hidden) show();
    },
  };
}

/** What was done since the table was switched on, as lines, without the checks at the end. */
async function session() {
  const play = await (await fetch("/api/bench/export/session.play")).text();
  const lines = play.split("\n").filter((line) => line && !line.startsWith("#"));
  lines.splice(0, lines.indexOf("power on") + 1);
  while (lines.at(-1)?.startsWith("expect ")) lines.pop();
  return lines;
}

function* parameters(scene) {
  for (const name of NAMES) {
    const value = name === "wiring" ? scene.wiring.name ?? scene.wiring : scene[name];
    if (value !== null && value !== undefined) yield [name, value];
  }
}

/** The address of a scene in which these lines were done; null when it would be too long. */
async function linkTo(scene, lines) {
  const here = new URL("/", location);
  for (const [name, value] of parameters(scene)) here.searchParams.append(name, value);
  const plain = new URL(here);
  for (const line of lines) plain.searchParams.append("do", line);
  const packed = new URLSearchParams();
  if (scene.wiring.text !== undefined) packed.set("wiring", await deflated(scene.wiring.text));
  if (String(plain).length <= MOST_PARAMETERS) here.search = plain.search;
  else packed.set("play", await deflated(lines.join("\n")));
  here.hash = packed;
  return String(here).length <= LONGEST ? String(here) : null;
}

async function copied(address) {
  try {
    await navigator.clipboard.writeText(address);
    return "Copied";
  } catch {
    history.replaceState(history.state, "", address);
    return "See the address";
  }
}

/** The wish and the lines that an address asks for, or null. */
async function askedFor({ search, hash }) {
  const said = new URLSearchParams(search);
  const packed = new URLSearchParams(hash.slice(1));
  if (!OURS.some((name) => said.has(name)) && !packed.has("play")) return null;
  const wish = Object.fromEntries(NAMES.filter((name) => said.has(name)).map((name) => [name, said.get(name)]));
  if (packed.has("wiring")) wish.wiring = { name: wish.wiring ?? "table.toml", text: await inflated(packed.get("wiring")) };
  if ("seed" in wish) wish.seed = Number(wish.seed);
  const lines = packed.has("play") ? (await inflated(packed.get("play"))).split("\n") : said.getAll("do");
  return { wish, lines };
}

function isSame({ wish, lines }, scene) {
  const text = wish.wiring?.text ?? scene.wiring.text;
  const there = Object.fromEntries(parameters(scene));
  const alike = ([name, value]) => String(value?.name ?? value) === String(there[name]);
  return !lines.length && text === scene.wiring.text && Object.entries(wish).every(alike);
}

/** The wish in words. */
function described({ wish, lines }, editions) {
  const title = editions.find(({ name }) => name === wish.edition)?.title ?? wish.edition;
  const wirings = { own: "our own wiring", config: "the wiring that the bench was begun with" };
  return [
    title,
    wish.wiring && `on ${wirings[wish.wiring] ?? `the wiring ${wish.wiring.name ?? wish.wiring}`}`,
    wish.left && `left reader ${READERS[wish.left] ?? wish.left}`,
    wish.right && `right reader ${READERS[wish.right] ?? wish.right}`,
    "seed" in wish && `seed ${wish.seed}`,
    lines.length && `then ${lines.length} ${lines.length === 1 ? "line is" : "lines are"} done`,
  ].filter(Boolean).join(", ");
}
