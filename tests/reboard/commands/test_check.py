from __future__ import annotations

from pathlib import Path

import pytest

from reboard.cli import main
from tests.reboard.wiring.tables import SHIPPED


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.toml"


def test_a_config_is_described_and_its_wiring_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-c", str(SHIPPED)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("edition         world\n")
    assert "\npins\n" not in text


@pytest.mark.parametrize(("right", "is_mixed"), [("pn532", True), ("id12", False)])
def test_two_kinds_of_reader_that_read_different_cards_are_warned_of(
    file: Path, capsys: pytest.CaptureFixture[str], right: str, is_mixed: bool
) -> None:
    left = 'left = { reader = "rdm6300", port = "/dev/ttyUSB0" }'
    file.write_text(f'[bank]\n{left}\nright = {{ reader = "{right}", port = "/dev/ttyUSB1" }}\n', encoding="utf-8")
    assert main(["check", "-c", str(file)]) == int(is_mixed)
    assert ("WRONG  The left slot" in capsys.readouterr().out) == is_mixed


def test_the_electrical_check_goes_area_by_area(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--electrical", "-c", str(SHIPPED)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("edition         world\n")
    assert "\npins\n  ok     17 pins are used, none of them twice.\n" in text
    assert text.endswith("\nNothing is wrong.\n")


def test_what_would_break_something_is_told_with_what_to_do(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("[apple]\nlever = 22\nmotor = 13\n[wiring.motor]\nflyback_diode = false\n", encoding="utf-8")
    assert main(["check", "--electrical", "-c", str(file)]) == 1
    assert capsys.readouterr().out.endswith(
        "\nOne thing is wrong:\n"
        "   1.    The motor has no flyback diode: each time it is switched off, a spike\n"
        "         of many volts hits the transistor and the Pi.\n"
        "         -> Put a 1N5819 across the motor, its stripe at the motor's +. Then\n"
        "            `flyback_diode = true`.\n"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[block]\nbutton = 17\nlamp = 17\n", ":3: block.lamp takes pin 17, which block.button (line 2) has already\n"),
        (
            '[bank]\nleft = { reader = "id12", port = "/dev/serial0" }\n'
            'right = { reader = "id12", port = "/dev/ttyAMA0" }\n',
            ":3: bank.right.port takes pin 14, which bank.left.port (line 2) has already: "
            "pins 14 and 15 are the serial port /dev/serial0\n",
        ),
        (
            "[apple]\nlever = 22\nmotor = 4\n",
            ":3: apple.motor must be a pin from 9 to 27, and is 4: "
            "a Pi pulls pins 0 to 8 high while it starts, and the worms would dance on their own\n",
        ),
    ],
    ids=["a pin used twice", "two readers on one line", "a motor on a pin that is high at the start"],
)
def test_what_no_table_could_play_with_is_refused_before(
    file: Path, text: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(text, encoding="utf-8")
    assert main(["check", "--electrical", "-c", str(file)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"{file}{sentence}"
