"""The languages of all texts. English is in the code; each other language is one catalogue here, such as ``de.po``.

A catalogue has the texts of the display, the pages, the bench, the charts, the editions and the names in a smart home.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from reboard.errors import ReboardError
from reboard.languages.catalogue import Catalogue, read

log = logging.getLogger(__name__)

ENGLISH = "en"
FOLDER = Path(__file__).parent

DISPLAY = "display"
"""The context of the texts for the banker unit's display: at most `DISPLAY_COLUMNS` characters."""

DISPLAY_ROWS, DISPLAY_COLUMNS = 2, 16
"""The number of lines that every display shows, and of characters in each."""

_more_folders: list[Path] = []


DECIMAL_MARK = "decimal mark"
"""The context of ``.`` in numbers."""


class Texts:
    """The texts in one of the `languages`. A text without a translation stays English."""

    def __init__(self, language: str = ENGLISH, context: str = "") -> None:
        self.language = language
        self._context = context
        self._catalogues = catalogues(language)

    def __call__(self, english: str, /, **values: object) -> str:
        """Return the translation of an *english* text, with *values* filled in."""
        key = (self._context, english)
        found = next((found for each in self._catalogues if (found := each.texts.get(key))), english)
        return found.format(**values) if values else found

    def amount(self, shown: str, /) -> str:
        """Return a *shown* amount, such as ``16.5M``, with the decimal mark of the language."""
        return shown.replace(".", Texts(self.language, DECIMAL_MARK)("."))

    def plural(self, one: str, many: str, number: int, /, **values: object) -> str:
        """Return the form of a text for *number*, which is filled in as ``{n}``."""
        found = next((found for each in self._catalogues if (found := each.plural(one, number))), None)
        return (found or (one if number == 1 else many)).format(n=number, **values)


def add_folder(folder: Path) -> None:
    """Add the catalogues of a plug-in. Those of reboard come first."""
    if folder not in _more_folders:
        _more_folders.append(folder)
        catalogues.cache_clear()


@cache
def languages() -> Sequence[str]:
    """Return the codes of all languages, with English first. It reads no catalogue."""
    return (ENGLISH, *sorted(file.stem for file in FOLDER.glob("*.po")))


@cache
def catalogues(language: str) -> Sequence[Catalogue]:
    """Return the catalogues of a *language*, ours and those of the plug-ins. There are none for English."""
    found = []
    for folder in (FOLDER, *_more_folders) if language != ENGLISH else ():
        file = folder / f"{language}.po"
        try:
            found += [read(file)] if file.exists() else []
        except ReboardError as error:
            log.warning("%s. Its texts stay English.", error)
    return found


def chosen(wanted: Iterable[str]) -> str:
    """Return the first of the *wanted* tags, such as ``de-AT``, that is one of the `languages`, or else English."""
    plain = (tag.partition("-")[0].strip().lower() for tag in wanted)
    return next((code for code in plain if code in languages()), ENGLISH)
