"""Every text of the display, in every language."""

from __future__ import annotations

import re
from datetime import datetime

import pytest

from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.vocabulary import CLOCK_LENGTHS_MIN
from reboard.accessories.installed import accessories, all_rejections
from reboard.accessories.speed_die import faces
from reboard.board import LARGEST_VOLUME
from reboard.devices.displays.kinds.hd44780_i2c import rom_codes
from reboard.devices.displays.pixel_font import cell
from reboard.devices.keypad import LEGEND
from reboard.editions.edition import MOST_PLAYERS, editions_in_the_box
from reboard.languages import DISPLAY, DISPLAY_COLUMNS, ENGLISH, Texts, catalogues, languages

OTHERS = [language for language in languages() if language != ENGLISH]
PARTS = [each.title.upper() for each in accessories().values()]
PARTS += [device.title.upper() for each in accessories().values() for device in each.fitted]
PARTS += [Text.SPEAKER, Text.LEDGER, Text.DATE, Text.CONFIG]
TITLES = [edition.short_title.upper() for edition in editions_in_the_box()]
EVERY_TEXT = [*Text, *faces.Text, *(why.display for why in all_rejections() if why.display)]
LARGEST: dict[str, object] = {
    "number": MOST_PLAYERS,
    "cards": "1234567",
    "amount": "99.99M",
    "digit": 9,
    "who": "CARD 8",
    "level": LARGEST_VOLUME,
    "minutes": max(CLOCK_LENGTHS_MIN),
    "houses": 9,
    "code": "9999",
}
"""The longest value of each name in a text."""

MENU = [Text.FINAL_COUNT, Text.BANKRUPTCY, Text.OTHER_GAME, Text.NEW_EDITION, Text.GAME_CLOCK, Text.PLAYERS_MENU]
MENU += [Text.EVERYONE, Text.NEW_GAME, Text.BANK_TO_POT, Text.CLOCK_MINUTES, Text.CLOCK_OFF]
MENU += [Text.LEAVES, Text.COMES_BACK, Text.LOST, Text.FREE]


@pytest.mark.parametrize("language", languages())
def test_every_text_fits_a_line_with_the_longest_values_in_letters_of_each_display(language: str) -> None:
    texts = Texts(language, DISPLAY)
    shown = {english: texts(english, **LARGEST) for english in EVERY_TEXT}
    shown |= {f"! {part}": f"! {texts(part)}" for part in PARTS}
    shown |= {f"menu {entry}": f"4 {texts(entry, **LARGEST)}" for entry in [*MENU, *TITLES]}
    shown |= {"when": datetime(2026, 12, 31, 23, 59).strftime(texts(Text.WHEN))}
    shown |= {"rent": f"{texts(faces.Text.RENT)}: 18"}
    too_long = {english: line for english, line in shown.items() if len(line) > DISPLAY_COLUMNS}
    assert too_long == {}
    letters = {letter for line in shown.values() for letter in line} - {"?"}
    assert {letter for letter in letters if rom_codes(letter) == b"?" or cell(letter) == cell("?")} == set()


@pytest.mark.parametrize("language", OTHERS)
def test_keys_keep_the_names_that_are_printed_on_them(language: str) -> None:
    keys = {key for row in LEGEND for key in row if key.isalpha()}
    for (context, english), other in catalogues(language)[0].texts.items():
        of_keys = keys.intersection(re.findall(r"\w+", english)) if context == DISPLAY else set()
        assert english in {*faces.Text} or of_keys <= set(re.findall(r"\w+", other)), english
