"""The tables of the documents, which come from the code: ``make docs`` writes them.

Whatever is between ``<!-- made: events -->`` and the next ``<!-- end -->`` is replaced. So is the address of
the project and of its site, by that in pyproject.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections import ChainMap
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

TREE = Path(__file__).parents[2]
PLACE = re.compile(r"(<!-- made: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
SOURCE = tomllib.loads((TREE / "pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]
SITE = f"https://{SOURCE.split('/')[-2]}.github.io/reboard"
ADDRESS = re.compile(r"https://(?:github\.com/[\w-]+|[\w-]+\.github\.io)/reboard(?![\w-])")
"""An address of the project, on GitHub or of its site."""

MODULES = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__) if each.name != "__main__"]
TABLES: Mapping[str, Callable[..., str]] = ChainMap(*(getattr(module, "TABLES", {}) for module in MODULES))
"""The function for each table. Some take the rest of the mark, such as ``settings of`` that of ``settings of bank``."""

FOLDERS = ("docs", "hardware", "examples")
FILES = [
    *TREE.glob("*.md"),
    TREE / "debian" / "control",
    TREE / "debian" / "copyright",
    *(file for folder in FOLDERS for file in sorted((TREE / folder).glob("**/*.md"))),
]
DOCUMENTS = [file for file in FILES if any(part.search(file.read_text("utf-8")) for part in (PLACE, ADDRESS))]
"""The documents with tables, or with addresses of the project."""

MQTT_SCHEMA = TREE / "docs" / "mqtt.schema.json"


def filled(text: str) -> str:
    """Return the *text* of a document with its tables and addresses. Raises ``KeyError`` for an unknown table."""
    text = ADDRESS.sub(lambda found: SITE if found[0].endswith(".github.io/reboard") else SOURCE, text)
    return PLACE.sub(lambda place: f"{place[1]}\n{made(place[2])}\n\n{place[3]}", text)


def made(mark: str) -> str:
    """Return the table that *mark* names. Raises ``KeyError`` if there is none."""
    if mark in TABLES:
        return TABLES[mark]()
    [name] = [name for name in TABLES if mark.startswith(f"{name} ")] or [mark]
    return TABLES[name](mark.removeprefix(name).strip())
