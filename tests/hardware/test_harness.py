"""Cables carry each net that leaves a place, once, and the harness sheets are up to date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest

from hardware.making import cables
from hardware.making.builds import BUILDS
from hardware.making.cables import PI, LayoutError, board_files, harness
from hardware.making.checklist import steps
from hardware.making.harness import FOLDER, as_yaml, made_from
from hardware.making.made import is_made_from
from reboard.netlist.circuit import at_pins
from reboard.netlist.hardware_data import GROUND, header

COLUMNS, HOLES_OF_A_COLUMN = 34, 5
"""Of a breadboard with 170 holes."""


@pytest.mark.parametrize("name", BUILDS)
def test_a_file_for_wireviz_is_up_to_date(name: str) -> None:
    assert (FOLDER / f"{name}.yml").read_text(encoding="utf-8") == as_yaml(name), f"{name}.yml: run `make drawings`"


def test_each_sheet_is_drawn_from_its_file() -> None:
    assert is_made_from(FOLDER, made_from()), "run `make harness`"
    assert {file.stem for file in FOLDER.iterdir() if file.suffix == ".svg"} == set(BUILDS)


@pytest.mark.parametrize("build", BUILDS)
def test_each_net_is_carried_once_to_each_place_that_has_it_and_no_further(build: str) -> None:
    made = harness(build)
    circuit = BUILDS[build].circuit()
    assert {part.designator for parts in made.places.values() for part in parts} == {
        part.designator for part in circuit.parts
    }
    for net in {net for part in circuit.parts for net in part.nets.values()}:
        at = {place for place, parts in made.places.items() for part in parts if net in part.nets.values()}
        at |= {PI} if net in header() else set()
        carriers = [cable for cable in made.cables if net in cable.nets]
        assert len(carriers) == len({place for cable in carriers for place in (cable.start, cable.end)}) - bool(
            carriers
        )
        reached = {min(at)}
        for _ in carriers:
            reached |= {
                end for cable in carriers if {cable.start, cable.end} & reached for end in (cable.start, cable.end)
            }
        assert at <= reached, f"{net} does not reach {at - reached}"
        ends = [place for cable in carriers for place in (cable.start, cable.end)]
        assert {place for place in ends if ends.count(place) == 1} <= at, f"{net} leads on to nothing"


@pytest.mark.parametrize("build", BUILDS)
def test_each_wire_has_an_end_at_both_places_and_each_net_a_colour_of_its_own(build: str) -> None:
    made = harness(build)
    for cable in made.cables:
        for place in (cable.start, cable.end):
            ends = made.ends(cable, place)
            assert len(ends) == len(cable.nets)
            assert all(ends)
        assert len(cable.colours) == len(cable.nets)
        assert len(set(cable.colours)) == len(set(cable.nets))
        assert cable.positions >= len(cable.nets)
        assert bool(cable.plug) == bool({cable.start, cable.end} & board_files().keys())


@pytest.mark.parametrize("build", BUILDS)
def test_a_pin_of_the_header_takes_one_wire(build: str) -> None:
    pins = [pair for cable in harness(build).cables for pair in zip(cable.header_pins, cable.nets, strict=False)]
    assert len({pin for pin, _ in pins}) == len(pins)
    for pin, net in pins:
        assert header()[pin - 1] == net


def test_a_breadboard_has_a_wire_for_each_terminal_and_no_more_for_a_net_than_a_column_has_holes() -> None:
    made = harness("unit-rc522")
    carriers = made.at("breadboard")
    for reader in ("left reader", "right reader"):
        [part], [cable] = made.places[reader], made.at(reader)
        assert sorted(made.ends(cable, reader)) == sorted(part.nets)
    holes = Counter(net for cable in carriers for net in cable.nets)
    assert max(holes.values()) <= HOLES_OF_A_COLUMN
    assert len(holes) <= COLUMNS


def test_grounds_meet_at_the_pi() -> None:
    """A second way to ground would carry part of the current of the first."""
    made = harness("all")
    [to_apple] = [cable for cable in made.cables if cable.end == "all-apple"]
    assert to_apple.nets.count(GROUND) == 1


def changed(monkeypatch: pytest.MonkeyPatch, table: str, entry: str, data: Mapping[str, Any] | None) -> None:
    """Change an entry of ``cables.toml``, or take it away."""
    content = deepcopy(dict(cables._data()))
    if data is None:
        del content[table][entry]
    else:
        content[table][entry] = data
    monkeypatch.setattr(cables, "_data", lambda: content)


def test_a_part_without_a_place_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, "places", "lever", None)
    with pytest.raises(LayoutError, match="SW201"):
        harness.__wrapped__("apple")


def test_a_second_way_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, "cables", "W99", {"from": PI, "to": "lever", "wires": "thin"})
    with pytest.raises(LayoutError, match=r"W99|W21|W22"):
        harness.__wrapped__("apple")


def test_a_cable_that_is_missing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, "cables", "W24", None)
    with pytest.raises(LayoutError, match="motor supply"):
        harness.__wrapped__("apple")


def test_a_part_on_a_board_that_the_netlist_does_not_have_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    content = deepcopy(dict(board_files()))
    content["apple"]["parts"]["R299"] = "A1 right"
    monkeypatch.setattr(cables, "board_files", lambda: content)
    with pytest.raises(LayoutError, match="R299"):
        harness.__wrapped__("apple")


@pytest.mark.parametrize("name", BUILDS)
def test_drawing_guide_and_cable_use_the_same_pins(name: str) -> None:
    made = harness(name)
    wired = {pin for cable in made.cables for pin in cable.header_pins}
    assert set(at_pins(harness(name).circuit)) == wired
    named = [join.at for step in steps(harness(name).circuit) for join in step.joins if "pin " in join.at]
    assert {int(at.partition("pin ")[2].partition(",")[0]) for at in named} == wired
    assert len([at for at in named if "already" not in at]) == len(wired)
