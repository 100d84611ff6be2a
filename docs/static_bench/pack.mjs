// Runs pack.py in Pyodide: node pack.mjs PYODIDE PACKAGES.zip LIBRARY.zip OUT.zst OUT_LIBRARY.zip

import fs from "node:fs";
import path from "node:path";

const [pyodide, packages, library, ...outs] = process.argv.slice(2);
const { loadPyodide } = await import(path.resolve(pyodide, "pyodide.mjs"));
// columns of code are a quarter of a compiled file
const python = await loadPyodide({ env: { PYTHONNODEBUGRANGES: "1" } });
python.FS.writeFile("/packages.zip", new Uint8Array(fs.readFileSync(packages)));
python.FS.writeFile("/library.zip", new Uint8Array(fs.readFileSync(library)));
try {
  python.runPython(fs.readFileSync(new URL("pack.py", import.meta.url), "utf-8"));
} catch (error) {
  console.error(error.message); // Node would show a line of Pyodide, which has a megabyte
  process.exit(1);
}
for (const [place, name] of ["/python.zst", "/boot.zip"].entries()) fs.writeFileSync(outs[place], python.FS.readFile(name));
process.exit(0);
