"""Every text of the display, in every language."""

from __future__ import annotations

import string
from datetime import datetime
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from reboard.accessories.banker_unit.texts import LANGUAGES, LOCALE, Text, Texts
from reboard.accessories.banker_unit.vocabulary import CLOCK_LENGTHS_MIN
from reboard.accessories.installed import accessories
from reboard.board import LARGEST_VOLUME
from reboard.devices.keypad import LEGEND
from reboard.editions.edition import DISPLAY_WIDTH, MOST_PLAYERS
from reboard.errors import REJECTIONS

OTHERS = [language for language in LANGUAGES if language != "en"]
ACCESSORIES = [name.upper() for name in accessories()]
EVERY_TEXT = [*Text, *ACCESSORIES, *(words.display for words in REJECTIONS.values() if words.display)]
LARGEST: dict[str, object] = {
    "number": MOST_PLAYERS,
    "cards": "1234567",
    "amount": "99.99M",
    "digit": 9,
    "edition": "NINTENDO/S",
    "who": "CARD 8",
    "level": LARGEST_VOLUME,
    "minutes": max(CLOCK_LENGTHS_MIN),
    "houses": 9,
}
"""The longest value of each name in a text."""

PARTS = [Text.LEFT_SLOT, Text.RIGHT_SLOT, Text.SPEAKER, Text.DISPLAY, Text.KEYPAD, Text.LEDGER, Text.CLOCK, Text.CONFIG]
MENU = [Text.FINAL_COUNT, Text.BANKRUPTCY, Text.OTHER_GAME, Text.NEW_EDITION, Text.GAME_CLOCK, Text.PLAYERS_MENU]
MENU += [Text.BANK_TO_POT, Text.LEAVES, Text.COMES_BACK, Text.LOST, Text.FREE]


def po_file(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "reboard.po"


def translations(language: str) -> dict[str, str]:
    with po_file(language).open(encoding="utf-8") as file:
        return {str(message.id): str(message.string) for message in read_po(file) if message.id}


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_translated_with_the_same_values_and_compiled(language: str) -> None:
    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert translations(language).keys() == set(EVERY_TEXT)
    for english, other in translations(language).items():
        assert other
        assert values(other) == values(english)
    # not byte by byte: the header names the version of what compiled it
    with po_file(language).with_suffix(".mo").open("rb") as file:
        compiled = {str(message.id): str(message.string) for message in read_mo(file) if message.id}
    assert compiled == translations(language), "run `make translations`"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_fits_a_line_with_the_longest_values_in_it(language: str) -> None:
    texts = Texts(language)
    shown = {english: texts(english, **LARGEST) for english in EVERY_TEXT}
    shown |= {f"! {part}": f"! {texts(part)}" for part in [*PARTS, *ACCESSORIES]}
    shown |= {f"menu {entry}": f"4 {texts(entry, **LARGEST)}" for entry in MENU}
    shown |= {"when": datetime(2026, 12, 31, 23, 59).strftime(texts(Text.WHEN))}
    too_long = {english: line for english, line in shown.items() if len(line) > DISPLAY_WIDTH}
    assert too_long == {}


@pytest.mark.parametrize("language", OTHERS)
def test_keys_keep_the_names_that_are_printed_on_them(language: str) -> None:
    keys = {key for row in LEGEND for key in row if key.isalpha()}
    for english, other in translations(language).items():
        of_keys = [word for word in english.replace(":", " ").split() if word in keys]
        assert set(of_keys) <= set(other.replace(":", " ").split()), english
