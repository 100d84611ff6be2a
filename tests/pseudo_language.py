"""A language with every text in brackets, accented and a third longer, and what a page shows without brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from babel.messages.pofile import write_po
from playwright.sync_api import Page

from reboard import languages as module
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.languages import DISPLAY, catalogues, languages
from tests import translations

CODE = "eo"
KEPT = re.compile(r"(\{\w+\}|<[^>]*>|&\w+;)")
MARK = re.compile("[⟦⟧àéîöûñÀÉÎÖÛÑ]")
ACCENTS = str.maketrans("aeiounAEIOUN", "àéîöûñÀÉÎÖÛÑ")

PRODUCTS = [re.escape(kind.title) for kind in READER_KINDS.values() if translations.is_name(kind.title)]
NAMES = re.compile("|".join([*PRODUCTS, r"table-\d|reboard|Anna|Monopoly.*|Nintendo.*|GO|DEAL|Ctrl|\w{3},? \d\d:\d\d"]))
"""What no catalogue translates: names, keys and days."""

FIND = """() => {
    const isShown = (element) => !element.closest("script, style, noscript, [translate=no], [lang=en]");
    const shown = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) if (isShown(walk.currentNode.parentElement)) shown.push(walk.currentNode.textContent);
    for (const name of ["aria-label", "title", "placeholder", "alt"]) {
        for (const element of document.querySelectorAll(`[${name}]`)) {
            if (isShown(element)) shown.push(element.getAttribute(name));
        }
    }
    return shown.map((text) => text.trim());
}"""

CUT = """() => [...document.querySelectorAll("button, h1, h2, h3, legend, summary, label, dt, .rail *")]
    .filter((element) => element.checkVisibility() && getComputedStyle(element).overflow !== "visible")
    .filter((element) => !element.matches(".unseen, select") && element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.id || element.textContent)"""


def pseudo(text: str) -> str:
    parts = [part if place % 2 else part.translate(ACCENTS) for place, part in enumerate(KEPT.split(text))]
    return f"⟦{''.join(parts)}{'~' * (len(text) // 3)}⟧"


@contextmanager
def pseudo_language(folder: Path) -> Iterator[str]:
    """Let there be only English and the pseudo-language, and yield its code."""
    made = translations.template()
    for message in made:
        if message.id and message.context != DISPLAY:
            message.string = (
                tuple(map(pseudo, message.id)) if isinstance(message.id, tuple) else pseudo(str(message.id))
            )
    with (folder / f"{CODE}.po").open("wb") as file:
        write_po(file, made)
    try:
        with patch.object(module, "FOLDER", folder):
            languages.cache_clear()
            catalogues.cache_clear()
            yield CODE
    finally:
        languages.cache_clear()
        catalogues.cache_clear()


def untranslated(page: Page) -> list[str]:
    """Return what the page shows that is in no catalogue."""
    found = dict.fromkeys(text for text in page.evaluate(FIND) if not MARK.search(text))
    return [text for text in found if re.search(r"[A-Za-z]{2}", NAMES.sub("", text))]


def cut(page: Page) -> list[str]:
    """Return what does not fit its place: elements that are cut, and the page itself if it is wider than the window."""
    too_wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [*page.evaluate(CUT), *([f"the page is {too_wide} px too wide"] if too_wide > 0 else [])]
