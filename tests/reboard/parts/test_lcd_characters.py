from __future__ import annotations

import string

import pytest

from reboard.parts.lcd_characters import rom_codes


def test_letters_digits_and_most_signs_are_where_ascii_has_them() -> None:
    text = "".join(c for c in string.printable if c.isprintable() and c not in "\\~")
    assert rom_codes(text) == text.encode("ascii")


@pytest.mark.parametrize(("text", "codes"), [("äöü", "E1 EF F5"), ("¥→←", "5C 7E 7F"), ("£¢°", "ED EC DF")])
def test_signs_that_the_rom_has_elsewhere_are_found_there(text: str, codes: str) -> None:
    assert rom_codes(text) == bytes.fromhex(codes)


@pytest.mark.parametrize(
    ("text", "instead"),
    [("ÄÖÜ", "äöü"), ("Straße", "Straβe"), ("éàç", "eac"), ("C:\\~", "C:/-"), ("„“’", '""\''), ("Łódź", "?odz")],
)
def test_what_the_rom_lacks_becomes_what_is_nearest(text: str, instead: str) -> None:
    assert rom_codes(text) == rom_codes(instead)


@pytest.mark.parametrize("text", ["\n", "\x00", "\x07", "😀", "龍"])
def test_what_nothing_is_near_to_becomes_a_question_mark(text: str) -> None:
    assert rom_codes(text) == b"?"
