"""Every text of the display, in every language."""

from __future__ import annotations

import string
from datetime import datetime
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from reboard.banker.game_clock import LENGTHS_MIN
from reboard.banker.texts import Text, Texts
from reboard.edition import DISPLAY_WIDTH, MOST_PLAYERS
from reboard.languages import LANGUAGES, LOCALE
from reboard.parts.keypad import LEGEND
from reboard.parts.lcd_characters import ROM
from reboard.refusal import REFUSALS
from reboard.volume import LOUDEST
from tests.reboard.banker.hand_table import AtTheTable, Play

OTHERS = [language for language in LANGUAGES if language != "en"]
EVERY_TEXT = [*Text, *(words.display for words in REFUSALS.values())]
LARGEST: dict[str, dict[str, object]] = {
    Text.VOLUME: {"level": LOUDEST},
    Text.GAME: {"number": 10**9},
    Text.CARD: {"number": MOST_PLAYERS},
    Text.PLAYERS: {"number": MOST_PLAYERS},
    Text.ALL_TO: {"who": "CARD 8"},
    Text.WINNERS: {"number": MOST_PLAYERS},
    Text.MINUTES_LEFT: {"minutes": max(LENGTHS_MIN)},
    Text.CLOCK_MINUTES: {"minutes": max(LENGTHS_MIN)},
}
"""The longest values that stand in a text."""

PARTS = [Text.LEFT_SLOT, Text.RIGHT_SLOT, Text.SPEAKER, Text.DISPLAY, Text.KEYPAD, Text.LEDGER, Text.CLOCK, Text.CONFIG]
ACCESSORIES = [Text.BLOCK, Text.APPLE, Text.BANK]
MENU = [Text.FINAL_COUNT, Text.BANKRUPTCY, Text.OTHER_GAME, Text.NEW_EDITION, Text.GAME_CLOCK]


def po_file(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "reboard.po"


def translations(language: str) -> dict[str, str]:
    with po_file(language).open(encoding="utf-8") as file:
        return {str(message.id): str(message.string) for message in read_po(file) if message.id}


@pytest.mark.parametrize("language", OTHERS)
def test_the_compiled_file_is_what_the_readable_one_says(language: str) -> None:
    # not byte by byte: the header names the version of what compiled it
    with po_file(language).with_suffix(".mo").open("rb") as file:
        compiled = {str(message.id): str(message.string) for message in read_mo(file) if message.id}
    assert compiled == translations(language), "run `make translations`"


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_translated_and_nothing_else(language: str) -> None:
    assert translations(language).keys() == set(EVERY_TEXT)
    assert all(translations(language).values())


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_same_values_in_it(language: str) -> None:
    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for english, other in translations(language).items():
        assert values(other) == values(english), english


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_fits_a_line_with_the_longest_values_in_it(language: str) -> None:
    texts = Texts(language)
    shown = {english: texts(english, **LARGEST.get(english, {})) for english in EVERY_TEXT}
    shown |= {f"! {part}": f"! {texts(part)}" for part in [*PARTS, *ACCESSORIES]}
    shown |= {f"menu {entry}": f"4 {texts(entry)}" for entry in MENU}
    shown |= {"when": datetime(2026, 12, 31, 23, 59).strftime(texts(Text.WHEN))}
    too_long = {english: line for english, line in shown.items() if len(line) > DISPLAY_WIDTH}
    assert too_long == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_display_has_every_character(language: str) -> None:
    texts = Texts(language)
    shown = "".join(texts(english, **LARGEST.get(english, {})) for english in EVERY_TEXT)
    assert set(shown) <= ROM.keys()


@pytest.mark.parametrize("language", OTHERS)
def test_keys_keep_the_names_that_are_printed_on_them(language: str) -> None:
    keys = {key for row in LEGEND for key in row if key.isalpha()}
    for english, other in translations(language).items():
        of_keys = [word for word in english.replace(":", " ").split() if word in keys]
        assert set(of_keys) <= set(other.replace(":", " ").split()), english


def test_two_texts_that_mean_different_things_are_told_apart() -> None:
    for language in OTHERS:
        said = list(translations(language).values())
        assert len(said) == len(set(said))


def test_a_part_without_a_word_of_its_own_is_called_as_it_is() -> None:
    assert Texts("de")("PRINTER") == "PRINTER"


@pytest.mark.parametrize("text", ["INSERT CARD", Text.INSERT_CARD])
def test_english_is_what_stands_in_the_code(text: str) -> None:
    assert Texts()(text) == "INSERT CARD"


def test_a_german_table_speaks_german(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        assert table.lines == ("WORLD EDITION", "KARTE EINLEGEN")
        table.unit.show_trouble("left slot")
        assert table.lines[1] == "! SCHLITZ LINKS"
        table.unit.show_trouble(None)
        await table.key("GO")
        assert table.lines[0] == "KEINE KARTE"
        await table.insert("right", 2)
        await table.type("16M")
        assert table.lines == ("ZU WENIG GELD", "-2 15M")
        await table.type("1M")
        table.keypad.press(".")
        await table.wait(1.1)
        assert table.lines[0] == "1 -1M BANK"
        table.keypad.release(".")
        await table.remove("right")
        await table.key("GO", seconds=1.6)
        assert table.lines == ("1 ENDABRECHNUNG", "GO WEITER   M OK")
        await table.key("2")
        await table.insert("right", 2)
        await table.insert("left", 1)
        assert table.lines == ("-2 14M", "M: AN KARTE 1")
        await table.key("C")
        await table.remove("left")
        await table.remove("right")
        await table.choose(1)
        await table.key("GO")
        assert table.lines == ("1. KARTE 1", "15M")
        await table.key("C")
        await table.key("C")
        await table.key("C", seconds=3.1)
        assert table.lines[0] == "NEUES SPIEL"
        await table.choose(3)
        assert table.lines[0] == "1 WORLD 2S"
        await table.key("M")
        assert table.lines == ("SPIEL 1", "KARTE EINLEGEN")

    play(hands, language="de")
