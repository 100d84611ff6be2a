"""What the scripts of the static bench know of its files: hashes, the bytes to fetch, and the folder of Pyodide."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

FETCHED = (
    *("python.zst", "unpack.py"),
    *("pyodide-*/pyodide.asm.wasm", "pyodide-*/python_stdlib.zip", "pyodide-*/pyodide-lock.json"),
)
"""The files that the worker fetches. The others are scripts, which the browser loads."""

HASH_DIGITS = 16


def list_files(out: Path) -> None:
    """Write the sizes and the hashes of the files in the folder *out* into the scripts there."""
    fetched = [file for name in FETCHED for file in out.glob(name)]
    assert len(fetched) == len(FETCHED), fetched
    _set(out / "worker.js", "BYTES", sum(file.stat().st_size for file in fetched))
    _set(out / "worker.js", "PYODIDE", next(out.glob("pyodide-*")).name)
    service = out / "service_worker.js"
    files = sorted(file for file in out.rglob("*") if file.is_file() and file != service)
    hashes = {file.relative_to(out).as_posix(): sha256(file.read_bytes()).hexdigest()[:HASH_DIGITS] for file in files}
    _set(service, "FILES", hashes)


def _set(script: Path, constant: str, value: object) -> None:
    code = script.read_text("utf-8")
    text, count = re.subn(rf"(?m)^const {constant} = [^;]*", f"const {constant} = {json.dumps(value)}", code)
    assert count == 1, f"{script.name} has no constant {constant}"
    script.write_text(text, "utf-8")
