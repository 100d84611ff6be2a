"""Whoever changes a measure gets housings that can be printed, or is told what cannot be, and what could."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
import trimesh
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from hardware.making.__main__ import main
from hardware.making.guides import FOLDER
from hardware.making.housings import build, inequality
from hardware.making.housings.build import made
from hardware.making.housings.inequality import Inequality, Term, called, is_size, measure
from hardware.making.housings.measures import MAY_BE_0, MeasureError
from hardware.making.housings.possible import look_at_measures
from hardware.making.housings.relations import relations
from hardware.making.housings.stl import as_stl
from tests.hardware.housings.changing import Place, every_number, housings_of, number_at, ours_but

NUMBERS = list(every_number())
WRITTEN = [written for _, written in relations()]
BED = ("printer", "bed")
"""May be as large as it likes."""

A_MILLIMETRE, A_BIT = 1.0, 0.02
"""What could be is told in hundredths of a millimetre."""


@pytest.mark.parametrize(
    ("place", "number", "told"),
    [
        (("shell", "wall"), 1e9, "`wall` below [shell] in housings.toml cannot be 1e+09: 220 or less"),
        (("shell", "wall"), 4.0, "`wall` below [shell] is 4 and could be 3.6 or less"),
        (("shell", "corner"), 100.0, "`corner` below [shell] is 100 and could be 12.69 or less"),
        (("shell", "floor"), 2.0, "`floor` below [shell] is 2 and could be 2.95 or more"),
        (
            ("printer", "bed"),
            200.0,
            "`outside` below [unit] in housings.toml cannot be 210: 200 or less",
        ),
        (("block", "outside", 2), 230.0, "`outside` below [block] in housings.toml cannot be 230: 220 or less"),
        (("block", "button_hole"), 300.0, "`button_hole` below [block] in housings.toml cannot be 300: 220 or less"),
        (("block", "button_hole"), 95.0, "`button_hole` below [block] is 95 and could be 90.9 or less"),
        (("block", "led_hole"), 20.0, "`led_hole` below [block] is 20 and could be 13.7 or less"),
        (("apple", "worm", 0), 40.0, "the first number of `worm` below [apple] is 40 and could be 24.38 or less"),
        (("apple", "worm", 1), 5.0, "the second number of `worm` below [apple] is 5 and could be 44.15 or more"),
        (("apple", "rings", 1, 0), 30, "the second number of the second list of `rings` below [apple] is 68"),
        (("apple", "rings", 1, 0), 11.5, "`rings` below [apple] in housings.toml needs a ring or more"),
        (("apple", "rings", 1, 1), 50.0, "the second number of the second list of `rings` below [apple] is 50"),
        (("unit", "slots", 0), -40.0, "the first number of `slots` below [unit] is -40 and could be -63 or less"),
        (("slot", "screws", 2, 0), -20.0, "could be 29.09 or more, from the middle to either side"),
        (("slot", "card_goes_in"), 80.0, "`length` below [card] in cards.toml is 85.6 and could be 88 or more"),
        (("unit", "display", 0), 20.0, "the display's window and the speaker's holes of the unit"),
        (("unit", "keypad_from_front"), 40.0, "the keypad's foil and the display's window of the unit"),
        (("unit", "solder_board", 0), -99.0, "the solder board of the unit has no room there"),
        (("unit", "amplifier", 0), -60.0, "look at `solder_board` below [unit] and [solder-board]"),
        (("unit", "usb_adapters", 1, 0), 30.0, "the second USB adapter and the USB hub of the unit"),
        (("apple", "pi", 1), 0.0, "the base and the Pi of the apple would be in each other's way"),
        (("apple", "speaker", 0), 99.0, "the speaker of the apple has no room there"),
        (("lever", "switch"), -95.0, "`switch` below [lever] and [microswitch]"),
        (("lever", "band_post"), -200.0, "the base of the apple would fall into pieces"),
    ],
)
def test_what_cannot_be_is_told_in_a_line_and_nothing_is_written(
    place: Place,
    number: float,
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(build, "FOLDER", tmp_path / "housings")
    with housings_of(ours_but(place, number)):
        assert main(["housings"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert told in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rings", [[], [[1, 10.0 + 4 * ring] for ring in range(21)]])
def test_an_apple_has_one_ring_of_worms_or_up_to_twenty(rings: list[list[float]]) -> None:
    with (
        housings_of(ours_but(("apple", "rings"), rings)),
        pytest.raises(MeasureError, match="a ring or more, 20 at the"),
    ):
        look_at_measures()


def test_a_seventh_ring_of_worms_that_is_too_near_is_told() -> None:
    said = ours_but(("apple", "rings"), [*([1, 8.0 + 7 * ring] for ring in range(6)), [1, 45.0]])
    said = {**said, "apple": {**said["apple"], "worm": [3.0, 70.0], "collar": [0.8, 12.0]}}
    with housings_of(said), pytest.raises(MeasureError, match="the second number of the 7th list of `rings` below"):
        look_at_measures()


def test_a_number_of_worms_may_be_written_with_a_point() -> None:
    with housings_of(ours_but(("apple", "rings", 1, 0), 12.0)):
        made()


def test_no_measure_can_be_a_thousand_times_as_large() -> None:
    for place in NUMBERS:
        if place != BED and (number := number_at(place)):
            with housings_of(ours_but(place, 1000 * number)), pytest.raises(MeasureError) as error:
                look_at_measures()
            assert f"`{place[1]}` below [{place[0]}]" in str(error.value)


def test_no_size_can_be_nothing() -> None:
    for place in NUMBERS:
        section, name, *_ = place
        if is_size(".".join(map(str, place))) and name not in MAY_BE_0.get(str(section), ()):
            with pytest.raises(MeasureError, match=rf"`{name}` below \[{section}\]"), housings_of(ours_but(place, 0.0)):
                look_at_measures()


def test_our_own_measures_can_be() -> None:
    assert len(WRITTEN) > 200
    made()


def test_the_notch_for_cables_can_be_made_as_wide_as_the_guide_of_all_three_has_it() -> None:
    text = (FOLDER / "all-three.md").read_text(encoding="utf-8")
    [wide, high] = re.findall(r"`cable = \[([\d.]+), ([\d.]+)\]` below `\[block\]`", text)[0]
    assert number_at(("block", "cable", 1)) == float(high)
    assert f"{number_at(('block', 'cable', 0)):.0f} mm wide and {float(high):.0f} mm high" in text
    with housings_of(ours_but(("block", "cable", 0), float(wide))):
        made()


@pytest.mark.parametrize("written", WRITTEN)
def test_what_is_said_to_do_does_and_a_bit_more_does_not(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    changed: dict[str, float] = {}
    monkeypatch.setattr(inequality, "measure", lambda name: changed.get(name, measure(name)))
    relation = inequality.inequality(written)
    tried = 0
    for term in relation.by_measure():
        further = 1 if term.times > 0 else -1
        limit = told_limit(relation, term, changed)
        if limit is None:
            continue
        tried += 1
        assert holds(relation, term, limit, changed)
        assert not holds(relation, term, limit - A_BIT * further, changed)
    assert tried, "nothing is said to do"


def told_limit(relation: Inequality, term: Term, changed: dict[str, float]) -> float | None:
    """What is told of a measure that is a millimetre beyond its limit; nothing if no size of it would do."""
    changed.clear()
    left_over = sum(each.times * each.measured() for each in relation.terms)
    further = A_MILLIMETRE if term.times > 0 else -A_MILLIMETRE
    changed[term.name] = term.measured() - left_over / term.times - further
    assert not relation.holds()
    for words in relation.what_would_do():
        if found := re.match(rf"{re.escape(called(term.name))} is \S+ and could be (\S+) or (more|less)", words):
            assert found[2] == ("more" if term.times > 0 else "less")
            return float(found[1])
    return None


def holds(relation: Inequality, term: Term, number: float, changed: dict[str, float]) -> bool:
    changed.clear()
    changed[term.name] = number
    return relation.holds()


FACTORS = st.sampled_from([0.0, 0.01, 0.1, 0.3, 3.0, 10.0, 100.0, 1000.0]) | st.floats(0.5, 2.0)


@settings(max_examples=40, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate])
@given(place=st.sampled_from(NUMBERS), factor=FACTORS)
def test_one_other_measure_makes_pieces_that_can_be_printed_or_is_told(place: Place, factor: float) -> None:
    try:
        with housings_of(ours_but(place, number_at(place) * factor)):
            pieces = made()
    except MeasureError:
        return
    for solids in pieces.values():
        for solid in solids.values():
            mesh = trimesh.load(io.BytesIO(as_stl(solid)), file_type="stl")
            assert isinstance(mesh, trimesh.Trimesh)
            assert mesh.is_watertight
            assert mesh.is_volume
            assert len(solid.decompose()) == 1
            assert mesh.bounds[0][2] == pytest.approx(0, abs=1e-4)
