"""Measures that are wrong, or do not go together, are refused with their names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.making.__main__ import main
from hardware.making.housings import inside
from hardware.making.housings import measures as making
from hardware.making.housings.measures import FILE, MeasureError, read
from hardware.making.housings.pieces import check_measures
from hardware.making.housings.placed import Placed
from reboard.errors import ConfigError
from tests.hardware.housings.changing import housings_with

TEXT = FILE.read_text(encoding="utf-8")


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A copy of the measures that is read instead."""
    file = tmp_path / "housings.toml"
    file.write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr(making, "FILE", file)
    making._file.cache_clear()
    yield file
    making._file.cache_clear()


@pytest.mark.parametrize(
    ("line", "instead", "named"),
    [
        ("wall = 2.4 ", 'wall = "2.4" ', ["shell.wall", "number"]),
        ("wall = 2.4 ", "wall = true ", ["shell.wall", "number"]),
        ("wall = 2.4 ", "wall = nan ", ["shell.wall", "number"]),
        ("wall = 2.4 ", "wall = -2.4 ", ["shell.wall", "-2.4"]),
        ("worm = [15.0, 60.0]", "worm = [0, 60.0]", ["apple.worm entry 1"]),
        ("slots = [-63.0, 63.0]", "slots = [-63.0]", ["unit.slots", "2 entries"]),
        ("rings = [[8, 40.0], [12, 68.0]]", "rings = [8, 40.0]", ["apple.rings entry 1", "2 entries"]),
        ("[printer]", "bed = 220.0\n[printer]", ["bed"]),
        ("wall = 2.4 ", "wall = 2,4 ", ["TOML"]),
        ("wall = 2.4 ", f"wall = {'9' * 309} ", ["shell.wall"]),
        ("[keypad]", "[keypda]", ["keypda", "keypad"]),
        ("bezel = ", "bezle = ", ["bezle", "bezel"]),
        ("\ncorner = ", "\n# corner = ", ["[shell]", "corner"]),
    ],
)
def test_a_bad_or_missing_measure_is_refused_by_its_name_and_line(line: str, instead: str, named: list[str]) -> None:
    assert line in TEXT
    with pytest.raises(ConfigError, match=r"housings\.toml:\d+: ") as refused:
        read(TEXT.replace(line, instead, 1).encode())
    assert [name for name in named if name not in str(refused.value)] == []


def test_a_file_that_cannot_be_read_is_one_line_and_no_traceback(
    changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed.write_bytes(b"# \xff\n")
    assert main(["housings"]) == 1
    assert "UTF-8" in capsys.readouterr().err
    changed.unlink()
    assert main(["housings"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "housings.toml" in line


@pytest.mark.parametrize(
    ("place", "number"),
    [
        ("printer.gap", 0.01), ("printer.bed", 200.0), ("shell.wall", 4.0), ("shell.rim", 13.0),
        ("screw.m3_hole", 3.0), ("screw.insert.0", 3.4), ("screw.insert.1", 10.0), ("lever.switch_slit", 7.0),
        ("screw.m3_head.1", 2.0), ("pi-zero.width", 55.0),
        ("pi-3-4-5.holes_from_middle.0", 15.0),
        ("pi-zero.supply_from_middle", -40.0), ("speaker.diameter", 17.0), ("display.board.0", 76.0),
        ("display.bezel.2", 3.5), ("display.bezel.1", 28.6), ("keypad.plug.0", 69.0),
        ("motor.body.1", 20.0), ("motor.screw", 31.0),
        ("microswitch.holes_apart", 16.0), ("microswitch.operates_at", 7.0), ("microswitch.overtravel", 0.4),
        ("block.outside.0", 90.0), ("block.button_hole", 95.0), ("slot.card_goes_in", 80.0), ("slot.play", 0.65),
        ("slot.clicks_at", 1.0), ("slot.screws.2.0", -20.0), ("antenna.coil.1", 90.0), ("antenna.apart", 90.0),
        ("antenna.rc522.0", 40.0), ("antenna.opening", 41.0),
        ("switch-box.turns", 0.7), ("switch-box.pin", 2.3), ("unit.slots.0", -40.0), ("unit.outside.2", 35.0),
        ("cam.socket", 3.0), ("cam.spindle", 12.0), ("cam.tongue_gap", 5.0), ("lever.travel", 5.0),
        ("lever.pressed", 2.0), ("apple.worm.0", 40.0), ("apple.rings.1.0", 30), ("apple.rings.1.1", 80.0),
        ("apple.diameter", 170.0), ("apple.hole_gap", 0.05),
        ("apple.collar.1", 15.0), ("apple.stroke", 20.0), ("apple.shows", 15.0), ("apple.fence.1", 2.5),
        ("cam.tongue_gap", 2.5), ("cam.hub", 7.0), ("lever.neck.0", 18.0), ("lever.neck.1", 8.0), ("vents.wide", 5.0),
        ("vents.apart", 18.0), ("die.outside.0", 85.0), ("die.button_place.0", 60.0), ("die.speaker_place", 50.0),
        ("die.lip.0", 0.3), ("die.lip.1", 0.5), ("led-modules.row.2", 9.0),
    ],
)  # fmt: skip
def test_a_size_that_does_not_go_with_the_others_is_refused(place: str, number: float) -> None:
    with housings_with({place: number}), pytest.raises(MeasureError) as refused:
        check_measures()
    section, name, *_ = place.split(".")
    assert f"[{section}]" in str(refused.value)
    assert name in str(refused.value)


def test_a_part_without_room_is_named() -> None:
    named = r"`solder_board` below \[unit\]"
    with housings_with({"unit.solder_board.0": -99.0}), pytest.raises(MeasureError, match=named):
        inside.check(Placed())
