"""Python for the static bench: what it needs of the standard library, of packages and of reboard, compiled."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory

import reboard
import reboard_sim

HERE = Path(__file__).parent
NPM_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
LIBRARY = "python_stdlib.zip"
PACKAGES = "python.zst"

# the pages are files of the site
LEFT_OUT = re.compile(
    r"\.(pyc|so|pyi|typed|js|(?<!art\.)css|html|svg|png|webmanifest|pot|exe)$|-info/|(^|/)bin/|^setuptools/|^_distutils_hack|^share/"
    r"|^reboard/(doctor|hall|mqtt|setup|cards|raspberry_pi|commands)/(?!__init__|table\.toml)"
    r"|^reboard_sim/(attach|hall|cli)|^reboard_sim/browser/audioop"
    r"|^gpiozerocli/|^gpiozero/pins/(pigpio|rpigpio|lgpio|native)|^RPLCD_Tests/|^lcdtests/"
    r"|^serial/tools/(?!__init__|list_ports_common)|^serial/(urlhandler|threaded|rfc2217|serialwin32|serialcli|serialjava|win32)"
    r"|^anyio/(_backends/_trio|pytest_plugin)"
)
LIBRARY_LEFT_OUT = re.compile(
    r"^(idlelib|ensurepip|venv|turtle|pydoc_data|unittest|multiprocessing|curses|dbm|xmlrpc|wsgiref|_pyrepl|doctest|pydoc"
    r"|pdb|imaplib|smtplib|ftplib|poplib|mailbox|pickletools|sqlite3/(dump|__main__)"
    r"|encodings/(cp(?!437)|mac|iso|koi|euc|shift|big5|gb|hz|johab|kz|ptcp|tis|palmos|hp))"
)


def write_python(packages: Path, pyodide: Path, out: Path) -> None:
    """Write WebAssembly and Python into the folder *out*, from *packages* and the npm package *pyodide*.

    Pyodide's folder there has its version in its name: an old page must not find the WebAssembly of a new one.
    """
    folder_there = out / f"pyodide-{json.loads((pyodide / 'package.json').read_text('utf-8'))['version']}"
    folder_there.mkdir()
    for name in NPM_FILES:
        shutil.copy(pyodide / name, folder_there / name)
    with TemporaryDirectory() as folder:
        needed, library = Path(folder) / PACKAGES, Path(folder) / LIBRARY
        with zipfile.ZipFile(needed, "w") as packed:
            for name, content in _files(packages):
                packed.writestr(name, content)
        with zipfile.ZipFile(pyodide / LIBRARY) as whole, zipfile.ZipFile(library, "w") as packed:
            for name in whole.namelist():
                if not LIBRARY_LEFT_OUT.search(name):
                    packed.writestr(name, whole.read(name))
        outs = [out / PACKAGES, folder_there / LIBRARY]
        subprocess.run(["node", HERE / "pack.mjs", pyodide, needed, library, *outs], check=True)


def _files(packages: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and the contents of the files that the table and its bench need."""
    for folder in (packages, Path(reboard.__file__).parents[1], Path(reboard_sim.__file__).parents[1]):
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder).as_posix()
            # the bench looks which devices have a control of their own
            is_control = name.startswith("reboard_sim/devices/static/")
            if file.is_file() and (is_control or not LEFT_OUT.search(name)) and ".egg-info/" not in name:
                yield name, file.read_bytes()
    yield "audioop.py", (Path(reboard_sim.__file__).parent / "browser" / "audioop.py").read_bytes()
    # its entry points are the accessories and the devices
    info = f"reboard-{reboard.__version__}.dist-info"
    yield f"{info}/METADATA", f"Metadata-Version: 2.1\nName: reboard\nVersion: {reboard.__version__}\n".encode()
    yield f"{info}/entry_points.txt", (distribution("reboard").read_text("entry_points.txt") or "").encode()
