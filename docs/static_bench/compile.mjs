// Compiles the modules in zip files with the Python of Pyodide: node compile.mjs FOLDER_OF_PYODIDE FILE.zip…

import fs from "node:fs";
import path from "node:path";

const [folder, ...zips] = process.argv.slice(2);
const { loadPyodide } = await import(path.resolve(folder, "pyodide.mjs"));
const python = await loadPyodide();
for (const file of zips) {
  python.FS.writeFile("/in.zip", new Uint8Array(fs.readFileSync(file)));
  python.runPython(`
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc

with zipfile.ZipFile("/in.zip") as old, zipfile.ZipFile("/out.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
    for name in old.namelist():
        content = old.read(name)
        if name.endswith(".py") and not name.startswith("anyio/"):  # anyio reads its own source
            code = compile(content, name, "exec", dont_inherit=True)
            name, content = name + "c", bytes(_code_to_hash_pyc(code, bytes(8), False))
        new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
`);
  fs.writeFileSync(file, python.FS.readFile("/out.zip"));
}
process.exit(0);
