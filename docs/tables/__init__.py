"""The tables of the documents, which come from the code: ``make docs`` writes them.

Whatever is between ``<!-- made: events -->`` and the next ``<!-- end -->`` is replaced.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

TREE = Path(__file__).parents[2]
PLACE = re.compile(r"(<!-- made: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
MODULES = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__) if each.name != "__main__"]
TABLES: Mapping[str, Callable[..., str]] = ChainMap(*(getattr(module, "TABLES", {}) for module in MODULES))
"""The function for each table. Some take the rest of the mark, such as ``settings of`` that of ``settings of bank``."""

FOLDERS = ("docs", "hardware", "examples")
FILES = [*TREE.glob("*.md"), *(file for folder in FOLDERS for file in sorted((TREE / folder).glob("**/*.md")))]
DOCUMENTS = [file for file in FILES if PLACE.search(file.read_text("utf-8"))]
"""The documents with tables."""

MQTT_SCHEMA = TREE / "docs" / "mqtt.schema.json"


def filled(text: str) -> str:
    """Return the *text* of a document with its tables. Raises ``KeyError`` for an unknown one."""
    return PLACE.sub(lambda place: f"{place[1]}\n{made(place[2])}\n\n{place[3]}", text)


def made(mark: str) -> str:
    """Return the table that *mark* names. Raises ``KeyError`` if there is none."""
    if mark in TABLES:
        return TABLES[mark]()
    [name] = [name for name in TABLES if mark.startswith(f"{name} ")] or [mark]
    return TABLES[name](mark.removeprefix(name).strip())
