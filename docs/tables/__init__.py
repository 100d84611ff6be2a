"""What ``make docs`` writes: the tables of the documents, which come from the code, and the files of a release.

Whatever is between ``<!-- made: events -->`` and the next ``<!-- end -->`` is replaced. So are the addresses of
the project, of its site and of its maintainer, by those in pyproject.toml. CHANGELOG.md has the version.
"""

from __future__ import annotations

import re
import tomllib
from collections import ChainMap
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from reboard.mqtt import schema
from release.changelog import debian_changelog, releases, with_links

TREE = Path(__file__).parents[2]
PLACE = re.compile(r"(<!-- made: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
PROJECT = tomllib.loads((TREE / "pyproject.toml").read_text("utf-8"))["project"]
SOURCE = PROJECT["urls"]["Source"]
MAINTAINER = "{name} <{email}>".format_map(PROJECT["authors"][0])
SITE = f"https://{SOURCE.split('/')[-2]}.github.io/reboard"
ADDRESS = re.compile(r"https://(?:github\.com/[\w-]+|[\w-]+\.github\.io)/reboard(?![\w-])")
"""An address of the project, on GitHub or of its site."""

MODULES = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__) if each.name != "__main__"]
TABLES: Mapping[str, Callable[..., str]] = ChainMap(*(getattr(module, "TABLES", {}) for module in MODULES))
"""The function for each table. Some take the rest of the mark, such as ``settings of`` that of ``settings of bank``."""

FOLDERS = ("docs", "hardware", "examples")
FILES = [
    *TREE.glob("*.md"),
    TREE / "pyproject.toml",
    TREE / "debian" / "control",
    TREE / "debian" / "copyright",
    *(file for folder in FOLDERS for file in sorted((TREE / folder).glob("**/*.md"))),
]
DOCUMENTS = [file for file in FILES if any(part.search(file.read_text("utf-8")) for part in (PLACE, ADDRESS))]
"""The documents with tables, or with addresses of the project."""

CHANGELOG = TREE / "CHANGELOG.md"
VERSION = TREE / "firmware" / "reboard" / "version.py"


def written() -> dict[Path, str]:
    """Return the text of each file that ``make docs`` writes. Raises ``KeyError`` for an unknown table."""
    files = {document: filled(document.read_text("utf-8")) for document in DOCUMENTS}
    changelog = CHANGELOG.read_text("utf-8")
    version = f'__version__ = "{releases(changelog)[0].version}"'
    return {
        **files,
        CHANGELOG: with_links(changelog, SOURCE),
        VERSION: re.sub(r"(?m)^__version__ = .*$", version, VERSION.read_text("utf-8")),
        TREE / "debian" / "changelog": debian_changelog(changelog, MAINTAINER),
        TREE / "docs" / "mqtt.schema.json": schema.text(),
    }


def filled(text: str) -> str:
    """Return the *text* of a document with its tables and addresses. Raises ``KeyError`` for an unknown table."""
    text = ADDRESS.sub(lambda found: SITE if found[0].endswith(".github.io/reboard") else SOURCE, text)
    text = re.sub(r"(?m)^Maintainer: .*$", f"Maintainer: {MAINTAINER}", text)
    return PLACE.sub(lambda place: f"{place[1]}\n{made(place[2])}\n\n{place[3]}", text)


def made(mark: str) -> str:
    """Return the table that *mark* names. Raises ``KeyError`` if there is none."""
    if mark in TABLES:
        return TABLES[mark]()
    [name] = [name for name in TABLES if mark.startswith(f"{name} ")] or [mark]
    return TABLES[name](mark.removeprefix(name).strip())
