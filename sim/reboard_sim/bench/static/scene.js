// The scene: what the table is made from. A dialog to set it anew, and whoever wants to know what it is now.

export const READERS = {
  rdm6300: "RDM6300",
  id12: "ID-12LA",
  pn532: "PN532 (NFC)",
  keyboard: "USB reader that types",
  bumps: "the game's own cards",
  none: "none",
};
const MOST_SEEDS = 1_000_000;
const AS_WIRED = "as wired";

/** Set the table anew; what is wrong with the wish, or "" when it is done. */
export async function setScene(wish, lines = []) {
  try {
    const answer = await fetch("/api/bench/scene", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...wish, lines }),
    });
    return answer.ok ? "" : (await answer.json()).error;
  } catch {
    return "The bench does not answer: is reboard-sim still running?";
  }
}

/** The dialog. `changed(scene)` is told what is on the table, at first and whenever it is another one. */
export function scene(editions, changed) {
  const dialog = document.getElementById("scene");
  const form = document.getElementById("scene-form");
  const wrong = document.getElementById("scene-wrong");
  const file = document.getElementById("scene-file-row");
  const [edition, wiring, left, right, seed] = ["edition", "wiring", "left", "right", "seed"].map((name) => form.elements[name]);
  const save = document.getElementById("save-play");
  let number = 0;
  let now = null;

  edition.append(new Option("as the wiring has it", ""), ...editions.map(({ name, title }) => new Option(title, name)));
  for (const reader of [left, right]) {
    reader.append(new Option(AS_WIRED, ""), ...Object.entries(READERS).map(([name, title]) => new Option(title, name)));
  }

  async function learn() {
    const answer = await fetch("/api/bench/scene").catch(() => null);
    if (!answer?.ok) return;
    now = await answer.json();
    changed(now);
  }

  function fill() {
    const text = typeof now.wiring === "object" ? now.wiring : null;
    wiring.replaceChildren(
      new Option("our own, as in the drawings", "own"),
      ...(now.given ? [new Option(`${now.given}, which the bench was begun with`, "config")] : []),
      ...(text ? [new Option(`${text.name}, as it is now`, "text")] : []),
      new Option("another table.toml …", "file"),
    );
    wiring.value = text ? "text" : now.wiring;
    edition.value = now.edition;
    if (!edition.value) edition.value = "";
    left.value = now.left ?? "";
    right.value = now.right ?? "";
    seed.value = now.seed;
    form.elements.file.value = "";
    choose();
    say("");
  }

  function choose() {
    file.hidden = wiring.value !== "file";
    form.elements.file.required = !file.hidden;
  }

  function say(sentence) {
    wrong.textContent = sentence;
    wrong.hidden = !sentence;
  }

  async function wished() {
    const chosen = form.elements.file.files[0];
    const wirings = {
      text: () => now.wiring,
      file: async () => ({ name: chosen.name, text: await chosen.text() }),
    };
    return {
      edition: edition.value,
      wiring: await (wirings[wiring.value]?.() ?? wiring.value),
      left: left.value || null,
      right: right.value || null,
      seed: Number(seed.value),
    };
  }

  wiring.addEventListener("change", choose);
  document.getElementById("scene-open").addEventListener("click", () => {
    if (!now) return;
    fill();
    dialog.showModal();
  });
  document.getElementById("scene-close").addEventListener("click", () => dialog.close());
  document.getElementById("scene-dice").addEventListener("click", () => {
    seed.value = Math.floor(Math.random() * MOST_SEEDS);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    say(await setScene(await wished()));
    if (wrong.hidden) dialog.close();
  });
  document.getElementById("start-over").addEventListener("click", () => void setScene(now));

  return {
    hardware(looks) {
      const says = looks.recorded.full ? "Save as a play (full)" : "Save as a play";
      if (save.textContent !== says) save.textContent = says;
      if (looks.scene === number) return;
      number = looks.scene;
      void learn();
    },
  };
}
