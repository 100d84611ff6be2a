"""The languages of all texts. English is in the code; each other language is one catalogue here, such as ``de.po``.

A catalogue has the texts of the display, the pages, the bench, the charts, the editions and the names in a smart home.
"""

from __future__ import annotations

import gettext
import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from reboard.errors import ReboardError
from reboard.record import Record

log = logging.getLogger(__name__)

ENGLISH = "en"
FOLDER = Path(__file__).parent

DISPLAY = "display"
"""The context of the texts for the banker unit's display: at most `DISPLAY_COLUMNS` characters."""

FAULT = "cause of a fault"
"""The context of the texts in `translatable`, whose values a page finds by comparing."""

DISPLAY_ROWS, DISPLAY_COLUMNS = 2, 16
"""The number of lines that every display shows, and of characters in each."""

_more_folders: list[Path] = []


DECIMAL_MARK = "decimal mark"
"""The context of ``.`` in numbers."""


STRING = r'"(.*)"\n'
ENTRY = re.compile(
    rf"(#, .*\n)?(?:msgctxt {STRING})?msgid {STRING}"
    rf"(?:msgid_plural {STRING}((?:msgstr\[\d\] {STRING})+)|msgstr {STRING})"
)
COMMENT = re.compile(r"(?m)^#(?!, ).*\n")
FORM = re.compile(rf"\] {STRING}")
PLURAL = re.compile(r"plural=([^;]+);")
BREAK = '"\n"'
"""Between two pieces of a text, which the tools break into lines."""

Key = tuple[str, str]
"""The context and the English text."""


def translatable(cause: str) -> str:
    """Return *cause*, the English cause of a fault. Pages show it in their languages.

    ``make translations`` collects the texts of these calls. The values of an f-string become names in braces.
    """
    return cause


class Catalogue(Record):
    """The texts of a language: those without and those with plural forms. *rule* is the C expression of the forms."""

    texts: Mapping[Key, str]
    plurals: Mapping[str, Sequence[str]]
    rule: str
    form: Callable[[int], int]

    def plural(self, one: str, number: int) -> str | None:
        """Return the form of a text for *number*, or ``None``."""
        forms = self.plurals.get(one)
        return forms[self.form(number)] if forms else None


def read_catalogue(file: Path) -> Catalogue:
    """Return the catalogue in *file*, a PO file of gettext, without texts that are missing or fuzzy.

    Poedit and Weblate edit such a file. No compiler is needed. Raises `ReboardError`.
    """
    texts: dict[Key, str] = {}
    plurals: dict[str, Sequence[str]] = {}
    try:
        code = COMMENT.sub("", f"{file.read_text('utf-8')}\n").replace(BREAK, "")
        entries = ENTRY.findall(code)
        if len(entries) != code.count("msgid "):
            raise ValueError("an entry is damaged, which msgfmt names")
        for flags, context, one, _, forms, _, text in entries:
            if "fuzzy" in flags or not (text or '""' not in forms != ""):
                continue
            if forms:
                plurals[_plain(one)] = [_plain(form) for form in FORM.findall(forms)]
            else:
                texts[_plain(context), _plain(one)] = _plain(text)
        found = PLURAL.search(texts.pop(("", ""), ""))
        rule = found[1].strip() if found else "n != 1"
        return Catalogue(texts, plurals, rule, gettext.c2py(rule))
    except (OSError, ValueError) as error:
        raise ReboardError(f"{file}: {error}") from None


def _plain(written: str) -> str:
    return json.loads(f'"{written}"') if "\\" in written else written


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
            found += [read_catalogue(file)] if file.exists() else []
        except ReboardError as error:
            log.warning("%s. Its texts stay English.", error)
    return found


def chosen(wanted: Iterable[str]) -> str:
    """Return the first of the *wanted* tags, such as ``de-AT``, that is one of the `languages`, or else English."""
    plain = (tag.partition("-")[0].strip().lower() for tag in wanted)
    return next((code for code in plain if code in languages()), ENGLISH)
