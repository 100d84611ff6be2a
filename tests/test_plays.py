"""Every play in the tree, and every play in the documents, holds."""

import re
import sys
from pathlib import Path

import pytest

from reboard.devices.displays.display_controller import DISPLAY_KINDS
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard_sim.plays.play_command import play_file
from tests.documents.quotations import DOCUMENTS, TREE, blocks

PLAYS = sorted((TREE / "tests" / "plays").glob("*.play"))
SEED = sys.version_info.minor
"""No play may depend on chance: each Python plays with another seed."""


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: str(play.stem))
def test_the_play_holds(play: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert play_file(play, seed=SEED) == 0, capsys.readouterr().err


ASKED = {f"bank.{side}": READER_KINDS["rc522"].example(side) for side in ("left", "right")}
"""Readers that do not report a card by themselves, and take turns."""
QUICK_WITH_CARDS = ("bank_corrections", "bank_receive_pay_transfer", "bank_strange_cards", "two_people_at_once")
CONFIGS = [
    *((name, ASKED) for name in (*QUICK_WITH_CARDS, "bank_offers", "bank_sleep_and_volume", "power_cuts")),
    *(
        (name, {"bank.display": f'{{ driver = "{display}" }}'})
        for name in ("display_in_trouble", "bank_sleep_and_volume", "bank_in_german")
        for display in [*DISPLAY_KINDS][1:]
    ),
]


@pytest.mark.parametrize(("name", "config"), CONFIGS)
def test_the_play_holds_with_other_devices(
    name: str, config: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (TREE / "tests" / "plays" / f"{name}.play").read_text(encoding="utf-8")
    play = tmp_path / f"{name}.play"
    lines = [f"config {key} '{value}'\n" for key, value in config.items()]
    play.write_text("".join([*lines, text]), encoding="utf-8")
    assert play_file(play, seed=SEED) == 0, capsys.readouterr().err


def plays_in(document: Path) -> list[str]:
    return [block.text for block in blocks(document) if block.language == "play"]


# the plays of an accessory that is not installed here, and of a program, have tests of their own
OTHER_PLAYS = ("your-own-accessory.md", "script.md")
WITH_PLAYS = [each for each in DOCUMENTS if plays_in(each) and each.name not in OTHER_PLAYS]


@pytest.mark.parametrize("document", WITH_PLAYS, ids=lambda document: str(document.name))
def test_the_plays_in_the_document_hold(document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, text in enumerate(plays_in(document), start=1):
        play = tmp_path / f"{document.stem}-{number}.play"
        play.write_text(text, encoding="utf-8")
        assert play_file(play, seed=SEED) == 0, capsys.readouterr().err


def test_the_first_evening_shows_what_its_play_expects() -> None:
    page = (TREE / "docs" / "first-evening.md").read_text(encoding="utf-8")
    rows = page.partition("| the display shows |\n")[2].partition("\n\n")[0].splitlines()[1:]
    shown = [text for row in rows for text in re.findall("`(.*?)`", row.split("|")[2])]
    play = (TREE / "tests" / "plays" / "first_evening.play").read_text(encoding="utf-8")
    assert shown == re.findall('expect display "(.*?)"', play)
