"""Each layout joins what the netlist joins, can be soldered, and is drawn as it is now."""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from hardware.making.builds import BUILDS
from hardware.making.cables import BOARDS, LayoutError, board_files, harness
from hardware.making.perfboard import COLUMNS, PITCH, ROWS, hole, layout
from hardware.making.perfboard_sheet import PAGE, sheet

SVG = "{http://www.w3.org/2000/svg}"
OFF_BOARD = {
    "amplifier", "speaker", "display", "keypad", "left reader", "right reader", "left adapter", "right adapter",
    "button", "lamp", "lever", "motor", "suppression capacitor", "battery box", "matrix",
}  # fmt: skip


def board(name: str) -> dict[str, Any]:
    """Return a copy of a board's data that a test may change."""
    return deepcopy(dict(board_files()[name]))


@pytest.mark.parametrize("name", board_files())
def test_a_page_is_up_to_date(name: str) -> None:
    svg = BOARDS / f"{name}.svg"
    assert svg.read_bytes() == sheet(layout(name, board(name))), f"{svg.name} is old: run `make drawings`"


@pytest.mark.parametrize("build", BUILDS)
def test_everything_that_is_soldered_is_on_a_board(build: str) -> None:
    circuit = BUILDS[build].circuit()
    on_board = [name for data in board_files().values() if data["build"] == build for name in data["parts"]]
    elsewhere = {part.designator for part in circuit.parts if part.name in OFF_BOARD or "card-switch" in part.kind.name}
    assert sorted(on_board) == sorted({part.designator for part in circuit.parts} - elsewhere)


@pytest.mark.parametrize("name", board_files())
def test_a_layout_joins_the_leads_of_each_net_and_no_others(name: str) -> None:
    """Judge the wires by a flood from each lead, not by the code that draws them."""
    made = layout(name, board(name))
    neighbours: dict[str, set[str]] = {}
    for wire in made.solder:
        joined = [str(at) for at in wire.joins()]
        for one, other in pairwise(joined):
            neighbours.setdefault(one, set()).add(other)
            neighbours.setdefault(other, set()).add(one)
    ends = {
        str(at): (placed.name, net) for placed in made.placed for at, net in zip(placed.holes, placed.nets, strict=True)
    }
    for start, (_, net) in ends.items():
        reached, ahead = {start}, [start]
        while ahead:
            new = neighbours.get(ahead.pop(), set()) - reached
            reached |= new
            ahead += new
        assert {at for at in ends if at in reached} == ({at for at in ends if ends[at][1] == net} if net else {start})
    circuit = BUILDS[made.harness.build].circuit()
    parts = {part.designator: part for part in circuit.parts}
    for placed in made.placed:
        if part := parts.get(placed.name):
            leads = [lead for row in part.kind.pinout for lead in row] or list(part.nets)
            assert list(placed.nets) == [part.nets.get(lead, "") for lead in leads]


def remove(kind: str, wire: str) -> Any:
    return lambda data: data["solder"][kind].remove(wire)


def add(kind: str, wire: str) -> Any:
    return lambda data: data["solder"].setdefault(kind, []).append(wire)


def move(part: str, to: str) -> Any:
    return lambda data: data["parts"].update({part: to})


@pytest.mark.parametrize(
    ("change", "names"),
    [
        pytest.param(remove("thick", "C23-C12-J12"), ["motor \N{MINUS SIGN}"], id="a wire is missing"),
        pytest.param(
            add("bare", "J12-J13"), ["motor \N{MINUS SIGN}", "ground"], id="two legs of the transistor are joined"
        ),
        pytest.param(add("insulated", "G4-Q23"), ["G4"], id="an insulated wire ends nowhere"),
        pytest.param(add("bare", "A5-B6"), ["A5", "B6"], id="a bare wire is not straight"),
        pytest.param(move("Q201", "J13 left"), ["gate", "ground"], id="the transistor is the wrong way round"),
        pytest.param(
            move("D201", "G20 up"), ["motor \N{MINUS SIGN}", "motor +"], id="the diode is the wrong way round"
        ),
        pytest.param(move("C203", "J17 up"), ["motor +", "ground"], id="the capacitor is the wrong way round"),
        pytest.param(move("R201", "H4 right"), ["R201"], id="a part is beside its holes"),
        pytest.param(move("R204", "J7 down"), ["R203", "R204", "J7"], id="two leads in a hole"),
        pytest.param(move("F201", "J20 up"), ["F201", "C203"], id="the hot fuse is close to another part"),
        pytest.param(move("R202", "F23 right"), ["F27"], id="a part is beside the board"),
        pytest.param(lambda data: data["cables"].pop("lever"), ["lever"], id="a cable is forgotten"),
        pytest.param(
            lambda data: data["solder"].update(bare=[*data["solder"]["bare"], data["solder"]["thick"].pop(0)]),
            ["motor supply", "thick"],
            id="the motor's current flows through a thin wire",
        ),
    ],
)
def test_a_wrong_layout_is_refused_with_the_place(change: Any, names: list[str]) -> None:
    data = board("apple")
    change(data)
    with pytest.raises(LayoutError) as error:
        layout("apple", data)
    assert all(name in str(error.value) for name in names), error.value


def test_leads_are_as_far_apart_as_the_parts_need() -> None:
    """Millimetres between leads that the parts can be bent to, by the kind of part."""
    needs = {
        "resistor": (9, 13),
        "diode": (9, 13),
        "fuse": (4.6, 5.6),
        "line-capacitor": (4.6, 5.6),
        "bypass-capacitor": (4.6, 5.6),
        "bulk-capacitor": (3.5, 5.6),
        "mosfet": (2.5, 2.6),
        "buffer": (2.5, 2.6),
    }
    for name in board_files():
        made = layout(name, board(name))
        for placed in made.placed:
            if placed.name[0] == "W":
                continue
            one, other = placed.holes[:2]
            apart = PITCH * (abs(one.column - other.column) + abs(one.row - other.row))
            low, high = needs[placed.item.kind.name]  # type: ignore[union-attr]
            assert low < apart < high, placed.name


def test_the_legs_of_a_chip_are_numbered_against_the_clock() -> None:
    made = layout("die", board("die"))
    [chip] = [placed for placed in made.placed if placed.name == "U401"]
    legs = [*chip.holes[7:], *reversed(chip.holes[:7])]
    nets = dict(zip(chip.holes, chip.nets, strict=True))
    x = [leg.column for leg in legs]
    assert x == [*range(x[0], x[0] + 7), *reversed(range(x[0], x[0] + 7))]
    assert {leg.row for leg in legs[:7]} == {legs[7].row + 3}, (
        "seen from above with the notch on the left, 1 is below 14"
    )
    # 74AHCT125: 7 is ground, 14 the supply; its gates are 2 to 3, 5 to 6, 9 to 8 and 12 to 11
    assert [nets[leg] for leg in legs] == [
        *("ground", "GPIO10", "die.matrix: DIN", "ground", "GPIO8", "die.matrix: CS", "ground"),
        *("die.matrix: CLK", "GPIO11", "ground", "", "ground", "ground", "5V"),
    ]


def test_holes_are_named_from_the_upper_left() -> None:
    assert str(hole("A1")) == "A1"
    assert hole("R24") == (COLUMNS - 1, ROWS - 1)
    for name in ("S1", "A0", "A25", "a1"):
        with pytest.raises(LayoutError):
            hole(name)


@pytest.mark.parametrize("name", board_files())
def test_everything_is_on_the_page_and_no_line_runs_into_the_next_column(name: str) -> None:
    root = ElementTree.fromstring(sheet(layout(name, board(name))))
    assert (root.get("width"), root.get("height")) == ("297mm", "210mm")
    texts = [
        (float(text.get("x", "")), float(text.get("y", "")), float(text.get("font-size", "")), text.text or "")
        for text in root.findall(f"{SVG}text")
    ]
    for x, y, size, words in texts:
        right = x + 0.56 * size * len(words)
        assert right < PAGE[0] - 5, words
        assert y < PAGE[1] - 5, words
        assert not [other for at, row, _, other in texts if row == y and x < at < right], words


def test_plugs_do_not_fit_into_each_others_headers() -> None:
    """Pins 2.5 mm apart go into holes 2.54 mm apart as long as there are few of them."""
    plugs = [cable.positions for cable in harness("all").cables if cable.plug == "XH"]
    assert len(plugs) == len(set(plugs)) == 2
    assert max(plugs) <= 5
