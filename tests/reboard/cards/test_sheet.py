"""Printed cards: of the right size, the right number, the right bumps."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from reboard.cards import sheet
from reboard.cards.sheet import LAST_WITH_BUMPS, MARGIN, PAPERS, card_shape, cards_pdf
from reboard.cli import main
from reboard.devices.readers.kinds import bumps

MM = 72 / 25.4


def pages(pdf: bytes) -> list[str]:
    return [page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages]


def sizes(pdf: bytes) -> list[tuple[str, float]]:
    """Every text on the first page, and the size of its letters."""
    found = []

    def see(text: str, _: object, __: object, ___: object, size: float) -> None:
        if text.strip():
            found.append((text.strip(), size))

    PdfReader(io.BytesIO(pdf)).pages[0].extract_text(visitor_text=see)
    return found


def places(pdf: bytes) -> list[tuple[str, float]]:
    """Every text on the first page, and where it begins, from the left edge."""
    found: list[tuple[str, float]] = []
    PdfReader(io.BytesIO(pdf)).pages[0].extract_text(
        visitor_text=lambda text, _, matrix, __, ___: found.append((text.strip(), matrix[4]))
    )
    return found


def lines_mm(pdf: bytes) -> list[float]:
    """The length of every straight line on the first page."""
    ends: list[complex] = []
    lengths = []

    def see(operator: bytes, operands: Sequence[Any], _: object, __: object) -> None:
        if operator in (b"m", b"l"):
            ends.append(complex(*map(float, operands)))
        if operator == b"l":
            lengths.append(round(abs(ends[-1] - ends[-2]) / MM, 2))

    PdfReader(io.BytesIO(pdf)).pages[0].extract_text(visitor_operand_before=see)
    return lengths


@pytest.mark.parametrize(("paper", "width_mm", "height_mm"), [("a4", 297, 210), ("letter", 279.4, 215.9)])
def test_a_sheet_fits_its_paper(paper: str, width_mm: float, height_mm: float) -> None:
    pdf = cards_pdf([""] * 8, paper)
    boxes = [page.mediabox for page in PdfReader(io.BytesIO(pdf)).pages]
    assert {(round(float(box.width) / MM, 1), round(float(box.height) / MM, 1)) for box in boxes} == {
        (width_mm, height_mm)
    }
    card = card_shape().card
    a_row = int((PAPERS[paper][0] - 2 * MARGIN) // (card.width * MM))
    assert len(boxes) == -(-8 // a_row) == 2
    assert 2 * card.length < height_mm - 2 * MARGIN / MM - 10


def test_a_card_has_its_number_twice_and_a_name() -> None:
    [text] = pages(cards_pdf(["Anna", "", "Jürgen"], "a4"))
    lines = text.splitlines()
    assert [lines.count(name) for name in ("Anna", "Jürgen")] == [1, 1]
    assert text.count("reboard bank") == text.count("RFID sticker") == 3
    big = [text for text, size in sizes(cards_pdf(["Anna", "", "Jürgen"], "a4")) if size >= 20]
    assert sorted(big) == ["1", "1", "2", "2", "3", "3"]


def test_the_front_of_a_card_is_white_on_its_colour() -> None:
    colours: dict[str, list[tuple[float, ...]]] = {}
    colour: tuple[float, ...] = ()

    def see(operator: bytes, operands: Sequence[Any], _: object, __: object) -> None:
        nonlocal colour
        if operator == b"rg":
            colour = tuple(map(float, operands))
        if operator == b"Tj":
            colours.setdefault(operands[0].decode(), []).append(colour)

    PdfReader(io.BytesIO(cards_pdf(["Anna"], "a4"))).pages[0].extract_text(visitor_operand_before=see)
    white = (1.0, 1.0, 1.0)
    assert colours["Anna"] == [white]
    assert len({white, *colours["1"]}) == 2, "the number is white in front, and has the card's colour on the back"


def test_a_ruler_shows_whether_the_print_has_its_size_and_its_text_is_on_the_paper() -> None:
    pdf = cards_pdf([""], "a4")
    assert lines_mm(pdf)[-3:] == [sheet.RULER_MM, 3, 3]
    [(text, left)] = [(text, x) for text, x in places(pdf) if "this ruler" in text]
    assert MARGIN + sheet.RULER_MM * MM < left < PAPERS["a4"][0] - MARGIN, text


def test_printed_bumps_are_what_the_reader_reads() -> None:
    assert sheet.WEIGHTS == bumps.WEIGHTS
    places = card_shape().bumps.places
    read = {}
    for code in range(1, LAST_WITH_BUMPS + 1):
        felt = card_shape().bumps.of(code)
        read[code] = sum(weight for weight, place in zip(bumps.WEIGHTS, places, strict=True) if place in felt)
    assert read == {code: code for code in range(1, 8)}


def test_the_command_prints_cards_with_the_players_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, file = tmp_path / "table.toml", tmp_path / "mine.pdf"
    config.write_text('[bank]\nnames = ["Anna", "Ben"]\n', encoding="utf-8")
    assert main(["cards", "-c", str(config), str(file), "--paper", "letter", "--count", "3"]) == 0
    assert capsys.readouterr().out == f"Wrote 3 cards to {file}\n"
    assert {"Anna", "Ben"} <= {text for text, _ in sizes(file.read_bytes())}
    assert main(["cards", "-c", str(config), str(file)]) == 0
    text = "".join(pages(file.read_bytes()))
    assert (text.count("reboard bank"), text.count("a bump on each filled spot")) == (8, 7)
