"""Printed cards: of the right size, the right number, the right bumps."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader

from reboard.cards import shape
from reboard.cards.art import COLOURS
from reboard.cards.shape import MOST_CARDS, card_shape
from reboard.cards.sheet import MARGIN, PAPERS, cards_pdf
from reboard.cli import main
from reboard.parts.slots import bumps

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


@pytest.mark.parametrize(("paper", "width_mm", "height_mm"), [("a4", 297, 210), ("letter", 279.4, 215.9)])
def test_a_sheet_is_as_large_as_its_paper_and_a_printer_reaches_all_of_it(
    paper: str, width_mm: float, height_mm: float
) -> None:
    pdf = cards_pdf([""] * 6, paper)
    boxes = [page.mediabox for page in PdfReader(io.BytesIO(pdf)).pages]
    assert {(round(float(box.width) / MM, 1), round(float(box.height) / MM, 1)) for box in boxes} == {
        (width_mm, height_mm)
    }
    card = card_shape().card
    a_row = int((PAPERS[paper][0] - 2 * MARGIN) // (card.width * MM))
    assert len(boxes) == -(-6 // a_row) == 2
    assert 2 * card.length < height_mm - 2 * MARGIN / MM - 10


def test_every_card_has_its_number_on_both_sides_and_its_players_name() -> None:
    [text] = pages(cards_pdf(["Anna", "", "Jürgen"], "a4"))
    lines = text.splitlines()
    assert [lines.count(name) for name in ("Anna", "Jürgen")] == [1, 1]
    assert text.count("reboard bank") == text.count("RFID sticker") == 3
    big = [text for text, size in sizes(cards_pdf(["Anna", "", "Jürgen"], "a4")) if size >= 20]
    assert sorted(big) == ["1", "1", "2", "2", "3", "3"]


def test_a_sheet_is_the_same_every_time() -> None:
    assert cards_pdf(["Anna"], "a4") == cards_pdf(["Anna"], "a4")


def test_a_cards_bumps_are_the_code_that_the_switches_read() -> None:
    assert shape.WEIGHTS == bumps.WEIGHTS
    places = card_shape().bumps.places
    read = {}
    for code in range(1, MOST_CARDS + 1):
        felt = card_shape().bumps.of(code)
        read[code] = sum(weight for weight, place in zip(bumps.WEIGHTS, places, strict=True) if place in felt)
    assert read == {code: code for code in range(1, 8)}


def test_the_size_is_that_of_a_bank_card() -> None:
    card = card_shape().card
    assert (card.width, card.length, card.corner) == (53.98, 85.60, 3.18)


def test_bumps_and_sticker_are_on_the_card_and_not_on_one_another() -> None:
    card, sticker, marks = card_shape().card, card_shape().sticker, card_shape().bumps
    assert max(map(abs, marks.places)) + marks.diameter / 2 < card.width / 2
    assert min(b - a for a, b in zip(marks.places, marks.places[1:], strict=False)) > marks.diameter
    assert marks.from_upper_edge + marks.diameter / 2 < sticker.from_upper_edge - sticker.diameter / 2
    assert sticker.from_upper_edge + sticker.diameter / 2 < card.length


def test_there_are_as_many_colours_as_cards() -> None:
    assert len(set(COLOURS)) == MOST_CARDS


def test_the_command_prints_cards_with_the_players_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, file = tmp_path / "table.toml", tmp_path / "mine.pdf"
    config.write_text('[bank]\nnames = ["Anna", "Ben"]\n', encoding="utf-8")
    assert main(["cards", "-c", str(config), "--print", str(file), "--paper", "letter", "--count", "3"]) == 0
    assert capsys.readouterr().out == f"3 cards: {file}\n"
    assert {"Anna", "Ben"} <= {text for text, _ in sizes(file.read_bytes())}


def test_without_a_name_the_file_is_cards_pdf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["cards", "--print"]) == 0
    assert capsys.readouterr().out == "6 cards: cards.pdf\n"
    assert len(pages((tmp_path / "cards.pdf").read_bytes())) == 2


@pytest.mark.parametrize("count", ["0", "8"])
def test_more_cards_than_three_places_can_tell_apart_are_refused(
    count: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cards", "--print", str(tmp_path / "cards.pdf"), "--count", count]) == 1
    assert capsys.readouterr().err == f"reboard: there can be 1 to 7 cards, not {count}\n"


def test_without_the_library_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "reboard.cards.sheet", None)
    assert main(["cards", "--print", str(tmp_path / "cards.pdf")]) == 1
    assert capsys.readouterr().err == (
        "reboard: cards need reportlab, which is not installed: sudo apt install python3-reportlab, or, in a virtual "
        f"environment, {sys.executable} -m pip install reportlab\n"
    )
