// The dialog that loads another setup: edition, wiring, seed.

import { text } from "/static/text.js";

import { confirmDialog } from "./confirm_dialog.js";
import { setScene } from "./scene.js";

const MOST_SEEDS = 1_000_000;
const MOST_FILE_KB = 256;

export function sceneDialog(editions) {
  const opener = document.getElementById("scene-open");
  const dialog = document.getElementById("scene");
  const { elements } = dialog.querySelector("form");
  const file = document.getElementById("scene-file-row");
  const [edition, wiring, seed] = ["edition", "wiring", "seed"].map((name) => elements[name]);
  let now = null;

  edition.append(new Option(text("as in the wiring"), ""), ...editions.map(({ name, title }) => new Option(title, name)));

  function fill() {
    const own = typeof now.wiring === "object" ? now.wiring : null;
    wiring.replaceChildren(
      new Option(text("as in the drawings"), "own"),
      ...(now.given ? [new Option(text("{name}, with which the bench started", { name: now.given }), "config")] : []),
      ...(own ? [new Option(text("{name}, as it is now", { name: own.name }), "text")] : []),
      new Option(text("another table.toml …"), "file"),
    );
    wiring.value = own ? "text" : now.wiring;
    edition.value = now.edition;
    if (!edition.value) edition.value = "";
    seed.value = now.seed;
    elements.file.value = "";
    choose();
  }

  function choose() {
    file.hidden = wiring.value !== "file";
    elements.file.required = !file.hidden;
  }

  async function chosenWiring() {
    if (wiring.value === "text") return now.wiring;
    if (wiring.value !== "file") return wiring.value;
    const chosen = elements.file.files[0];
    return { name: chosen.name, text: await chosen.text() };
  }

  async function set(signal) {
    const chosen = file.hidden ? null : elements.file.files[0];
    if (chosen?.size > MOST_FILE_KB * 1024) return text("{name} is too big for a table.toml: more than {size} kB.", { name: chosen.name, size: MOST_FILE_KB });
    let content;
    try {
      content = await chosenWiring();
    } catch {
      return text("The file has changed or was deleted. Choose it again.");
    }
    const setup = { edition: edition.value, wiring: content, seed: Number(seed.value) };
    return (await setScene(setup, [], signal))?.error ?? "";
  }

  const open = confirmDialog(dialog, text("Load setup"), set);
  wiring.addEventListener("change", () => {
    if (wiring.value === "file") edition.value = ""; // another file has its own
    choose();
  });
  opener.addEventListener("click", () => {
    fill();
    open();
  });
  document.getElementById("scene-dice").addEventListener("click", () => {
    seed.value = Math.floor(Math.random() * MOST_SEEDS);
  });

  return {
    scene(loaded) {
      now = loaded;
    },
  };
}
