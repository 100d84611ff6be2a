"""The reader of a catalogue: a PO file of gettext, which Poedit and Weblate edit. No compiler is needed."""

from __future__ import annotations

import gettext
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from reboard.errors import ReboardError
from reboard.record import Record

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


def read(file: Path) -> Catalogue:
    """Return the catalogue in *file*, without texts that are missing or fuzzy. Raises `ReboardError`."""
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
