from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from reboard import header
from reboard.errors import PartError
from tests.fake_lgpio import FakeLgpio


@pytest.fixture
def chips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of /dev."""
    monkeypatch.setattr(header, "DEVICES", tmp_path)
    return tmp_path


def machine_with(labels: dict[int, str | None], chips: Path) -> FakeLgpio:
    for number in labels:
        (chips / f"gpiochip{number}").touch()
    return FakeLgpio(labels)


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        ({0: "pinctrl-bcm2835"}, 0),
        ({0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}, 0),
        ({0: "gpio-brcmstb@107d508500", 4: "pinctrl-rp1"}, 4),
        ({10: "gpio-brcmstb@107d508500", 11: None, 13: "pinctrl-rp1"}, 13),
    ],
)
def test_the_headers_chip_is_found_by_its_label_whatever_its_number(
    labels: dict[int, str | None], number: int, chips: Path
) -> None:
    lgpio = machine_with(labels, chips)
    assert header.header_chip(lgpio) == number
    assert not lgpio.opened


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        ({}, "no GPIO chip in .*; elsewhere set GPIOZERO_PIN_FACTORY=mock"),
        ({0: None}, "join the group gpio"),
        ({0: "INT34C5:00"}, r"gpiochip0 \(INT34C5:00\)"),
    ],
)
def test_a_machine_without_a_header_is_told_so(labels: dict[int, str | None], complaint: str, chips: Path) -> None:
    with pytest.raises(PartError, match=complaint):
        header.header_chip(machine_with(labels, chips))


def test_lgpios_pipe_is_made_elsewhere_and_nothing_is_left_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    (tmp_path / "run").mkdir()
    with header._lgpio_working_directory():
        # what lgpio's C half does when it is loaded
        os.chdir(os.environ["LG_WD"])
        os.mkfifo(".lgd-nfy0")
        assert Path.cwd().parent == tmp_path / "run"
    assert Path.cwd() == tmp_path
    assert list((tmp_path / "run").iterdir()) == []
    assert "LG_WD" not in os.environ


def test_lgpios_pipe_has_room_also_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    monkeypatch.setattr(header, "MEMORY", tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", "/no/room/here")
    with header._lgpio_working_directory():
        assert Path(os.environ["LG_WD"]).parent == tmp_path
    monkeypatch.setattr(header, "MEMORY", tmp_path / "not there")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with header._lgpio_working_directory():
        assert Path(os.environ["LG_WD"]).parent == tmp_path
