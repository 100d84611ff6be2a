// Carries out plays with the Python of the static bench: node plays.mjs FOLDER SEED PLAY… It prints a line of JSON for each.

import fs from "node:fs";
import path from "node:path";

const [folder, seed, ...plays] = process.argv.slice(2);
const pyodide = path.resolve(folder, fs.readdirSync(folder).find((name) => name.startsWith("pyodide-")));
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${pyodide}/` });

python.FS.writeFile("/python.zst", new Uint8Array(fs.readFileSync(path.resolve(folder, "python.zst"))));
python.runPython(fs.readFileSync(path.resolve(folder, "unpack.py"), "utf-8"));
python.globals.set("seed", Number(seed));
try {
  python.runPython(`
import asyncio, hashlib, json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from reboard_sim.plays.play_command import play_file

# Pyodide's own loop is always running, and a play runs on another
asyncio._set_running_loop(None)

def done(play):
    recordings = Path("/sound.wav"), Path("/pins.vcd")
    with redirect_stdout(StringIO()) as said, redirect_stderr(StringIO()) as problems:
        code = play_file(Path(play), seed=seed, as_json=True, wav=recordings[0], vcd=recordings[1])
    hashes = [hashlib.sha256(each.read_bytes()).hexdigest() for each in recordings]
    return json.dumps({"play": play, "code": code, "events": said.getvalue(), "problems": problems.getvalue(), "recordings": hashes})
`);
  const done = python.globals.get("done");
  for (const play of plays) {
    const name = path.basename(play);
    python.FS.writeFile(name, new Uint8Array(fs.readFileSync(play)));
    const line = `${done(name)}\n`;
    await new Promise((resolve) => process.stdout.write(line, resolve));
  }
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
process.exit(0);
