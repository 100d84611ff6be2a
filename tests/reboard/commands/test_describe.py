from __future__ import annotations

from pathlib import Path

import pytest

from reboard.commands.describe import describe
from reboard.config import TableConfig, load_config

SHIPPED = Path(__file__).parents[3] / "hardware" / "table.toml"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.toml"


def read(file: Path, text: str) -> TableConfig:
    file.write_text(text, encoding="utf-8")
    return load_config(file)


def test_a_table_is_described_line_by_line() -> None:
    assert describe(load_config(SHIPPED)).splitlines() == [
        "edition         world",
        "question block  button on pin 17, lamp on pin 27, the rule book's odds",
        "worm apple      lever on pin 22, motor on pin 13, 13 s, the usual dance",
        "left slot (+)   rdm6300 on /dev/reboard-left, a card is gone after 0.5 s",
        "right slot (-)  rdm6300 on /dev/reboard-right, a card is gone after 0.5 s",
        "keypad          rows on pins 23, 24, 25, 12, columns on pins 5, 6, 16, 26",
        "display         hd44780-i2c on bus 1 at 0x27",
        "cards           each gets the next number when first seen",
        "speaker         the best library here on the default device, volume 3 of 4",
        "page            http://127.0.0.1:8080",
        "state           kept in /var/lib/reboard",
    ]


def test_a_host_is_told_of_and_the_pin_is_not(file: Path) -> None:
    pin = "scrypt$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    lines = describe(read(file, f'[block]\nbutton = 17\n[page]\npin = "{pin}"\n')).splitlines()
    assert "host            whoever knows the PIN may change the table from the page" in lines
    assert "AAAA" not in "".join(lines)


def test_who_plays_and_the_displays_language_are_described_when_they_are_said(file: Path) -> None:
    config = read(file, '[bank]\nnames = ["Anna", "Ben"]\nlanguage = "de"\n')
    assert {"names           Anna, Ben", "language        de"} <= set(describe(config).splitlines())


def test_what_is_not_plugged_in_is_described_too(file: Path) -> None:
    config = read(file, '[block]\nbutton = 4\nbag = true\nquiet = true\n[bank]\ncards = ["AAAA"]\n')
    assert describe(config).splitlines() == [
        "edition         world",
        "question block  button on pin 4, no lamp, the rule book's odds, drawn from a bag, quiet: the lamp tells",
        "worm apple      not built",
        "left slot (+)   none",
        "right slot (-)  none",
        "keypad          none",
        "display         none",
        "cards           1 known beforehand",
        "speaker         none: the table is silent",
        "page            http://127.0.0.1:8080",
        "state           kept in /var/lib/reboard",
    ]


@pytest.mark.parametrize(
    ("slot", "words"),
    [
        ('reader = "pn532", port = "/dev/a"', "pn532 on /dev/a, a card is gone after 0.5 s"),
        ('reader = "id12", port = "/dev/a"', "id12 on /dev/a, a card is in from one tap to the next"),
    ],
)
def test_a_slot_is_described_by_what_reads_it(file: Path, slot: str, words: str) -> None:
    config = read(file, f"[bank]\nleft = {{ {slot} }}\n")
    assert f"left slot (+)   {words}\n" in describe(config)


def test_odds_and_dances_of_your_own_are_described(file: Path) -> None:
    config = read(file, "[block]\nbutton = 4\nodds.laugh = 0\n[apple]\nlever = 5\npattern = [[1, 1], [0.5, 1]]\n")
    assert "button on pin 4, no lamp, odds of your own\n" in describe(config)
    assert "lever on pin 5, no motor, 13 s, a dance of 2 steps\n" in describe(config)
    assert "banker unit     not built\n" in describe(config)


def test_a_folder_of_sounds_that_is_missing_is_described(file: Path) -> None:
    config = read(file, '[apple]\nlever = 4\n[speaker]\nlibrary = "alsa"\nfolder = "mine"\ndevice = "hdmi"\n')
    missing = f"own sounds from {file.parent / 'mine'} (there is no such folder now)\n"
    assert f"alsa on hdmi, volume 3 of 4, {missing}" in describe(config)
    (file.parent / "mine").mkdir()
    assert "no such folder" not in describe(config)
