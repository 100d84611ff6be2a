"""The licences of what the static bench has of others, as one text file beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

TREE = Path(__file__).parents[2]
FILE = "licences.txt"
TEXT_FILE = re.compile(r"LICEN[CS]E|COPYING|NOTICE|AUTHORS", re.IGNORECASE)

NOT_IN_THE_BENCH = ("setuptools",)
"""Packages that are installed with the others."""

WITHOUT_A_TEXT = {"pyserial": "BSD-3-Clause"}
"""The licence of packages that have no file with it."""

NOTICE = re.compile(r"(?m)^\W*((?:Copyright )?\([cC]\) \d{4}.*?)\s*$")
"""A copyright notice in a module. The bench has the modules without their comments."""

PYTHON = """\
Python and its standard library. Licence: PSF-2.0
Copyright 2001-2026 Python Software Foundation. The modules that this bench does not need are left out.
The licences of what Python has of others: https://docs.python.org/3/license.html

{psf}
"""
PYODIDE = """\
Pyodide {version}, which is Python in WebAssembly. Licence: MPL-2.0, https://www.mozilla.org/MPL/2.0/
Copyright the Pyodide contributors and Mozilla. Its source, with that of Emscripten, SQLite and the other libraries
in its WebAssembly and their licences: https://github.com/pyodide/pyodide/tree/{version}
"""


def licences(packages: Path, pyodide: Path) -> str:
    """Return the licences of the installed *packages*, of the npm package *pyodide*, of Python and of reboard.

    Raises ``LookupError`` for a package whose licence is not known.
    """
    version = json.loads((pyodide / "package.json").read_text("utf-8"))["version"]
    parts = [
        f"reboard. Licence: MIT\n\n{(TREE / 'LICENSE').read_text('utf-8')}",
        PYODIDE.format(version=version),
        PYTHON.format(psf=_text_of("PSF-2.0")),
        *_of_packages(packages),
    ]
    return f"\n\n{'-' * 80}\n\n".join(part.strip() for part in parts) + "\n"


def _of_packages(packages: Path) -> Iterator[str]:
    for package in sorted(distributions(path=[str(packages)]), key=lambda package: package.name.lower()):
        if package.name not in NOT_IN_THE_BENCH:
            yield f"{package.name} {package.version}\n\n{_licence(package)}"


def _licence(package: Distribution) -> str:
    """Return the copyright notices of the package's modules, and the texts of its licence."""
    files = {file: Path(str(file.locate())) for file in package.files or ()}
    notices = {
        notice for path in files.values() if path.suffix == ".py" for notice in NOTICE.findall(path.read_text("utf-8"))
    }
    texts = [
        path.read_text("utf-8").strip()
        for file, path in files.items()
        if ".dist-info" in str(file) and TEXT_FILE.match(file.name)
    ]
    if not texts and package.name in WITHOUT_A_TEXT:
        texts = [f"Licence: {WITHOUT_A_TEXT[package.name]}", _text_of(WITHOUT_A_TEXT[package.name])]
    if not texts:
        raise LookupError(f"{package.name} has no file with its licence: add it to {__name__}")
    return "\n\n".join(["\n".join(sorted(notices)), *texts]).strip()


def _text_of(licence: str) -> str:
    """Return the text of a *licence* in debian/copyright."""
    copyright_file = (TREE / "debian" / "copyright").read_text("utf-8")
    [text] = re.findall(rf"(?m)^License: {re.escape(licence)}\n((?: .*\n?)+)", copyright_file)
    return re.sub(r"(?m)^ \.?", "", text).strip()
