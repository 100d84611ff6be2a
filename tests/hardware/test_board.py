"""The carrier board that is committed connects what the wiring data connects. No test here needs KiCad."""

import csv
import tomllib
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import pytest

from hardware.making import made
from hardware.making.board import build, schematic
from hardware.making.board.design import FOLDER, HEADER, DesignError, board_design, check, header_nets, net_name
from hardware.making.board.kicad import KicadError
from hardware.making.board.kicad_files import OPEN, Nets, dump, find, parse
from hardware.making.board.router import Block, NoWayError, Pad, Router
from hardware.making.builds import BUILDS
from hardware.making.cables import harness
from hardware.making.housings.measures import measures
from reboard.table_config import load_config
from reboard.wiring.table_netlist import circuit_of

BOARD = FOLDER / "reboard-carrier.kicad_pcb"
ON_THE_UART = """
edition = "world"
[bank]
left = { reader = "pn532", port = "/dev/serial0" }
"""
LETTER = 0.9
"""The width of a letter of KiCad, of its height."""


@cache
def board_file() -> list[Any]:
    return parse(BOARD.read_text(encoding="utf-8"))


def of_board(board: list[Any]) -> Nets:
    """Return the nets of a parsed ``.kicad_pcb``, without open pins."""
    nets: dict[str, set[tuple[str, str]]] = {}
    for footprint in find(board, "footprint"):
        ref = next(entry[2] for entry in find(footprint, "property") if entry[1] == "Reference")
        for pad in find(footprint, "pad"):
            if (net := find(pad, "net")) and not net[0][2].startswith(OPEN):
                nets.setdefault(net[0][2], set()).add((ref, pad[1]))
    return {net: frozenset(pads) for net, pads in nets.items()}


@pytest.fixture(scope="module")
def nets() -> Nets:
    return of_board(board_file())


def by_terminal(nets: Nets) -> dict[str, set[str]]:
    """Return the terminals on each net of the board, and the pins of the header."""
    stands_for = {**board_design().terminals()} | {(HEADER, pin): f"pin {pin}" for pin in header_nets()}
    found = {net: {stands_for[pad] for pad in pads if pad in stands_for} for net, pads in nets.items()}
    return {net: ends for net, ends in found.items() if ends}


def wanted() -> dict[str, set[str]]:
    """Return the same from the wiring data, and the UART."""
    design = board_design()
    left_out = set(design.data["off_board"]["terminals"])
    nets: dict[str, set[str]] = {}
    for part in design.circuit.parts:
        for label, net in part.nets.items():
            if (end := f"{part.designator}.{label}") not in left_out:
                nets.setdefault(net_name(net), set()).add(end)
    for pin, net in header_nets().items():
        if net_name(net) in nets or net in ("GPIO14", "GPIO15"):
            nets.setdefault(net_name(net), set()).add(f"pin {pin}")
    return nets


def test_the_board_connects_what_the_wiring_data_connects(nets: Nets) -> None:
    assert by_terminal(nets) == wanted()


def test_the_board_connects_what_the_design_connects(nets: Nets) -> None:
    assert nets == board_design().nets()


def test_every_part_is_on_the_board(nets: Nets) -> None:
    on_board = {ref for pads in nets.values() for ref, _ in pads}
    assert on_board == {part.ref for part in board_design().footprints if part.group != "holes"}


def test_nothing_is_stale() -> None:
    design = board_design()
    assert made.is_made_from(FOLDER, build.made_from()), "run `make board`"
    for file, text in build.lists(design).items():
        assert file.read_text(encoding="utf-8") == text, f"{file.name}: run `make parts`"


def test_a_reader_on_the_headers_uart_is_wired_as_its_socket(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(ON_THE_UART, encoding="utf-8")
    part = circuit_of(load_config(config)).of_device("bank.left")["left reader"]
    [socket] = [part for part in board_design().footprints if part.ref == "J3"]
    named = {name: socket.nets[pad] for pad, name in socket.names.items()}
    assert {net_name(net) for net in part.nets.values()} == set(named.values())
    assert named["RXD"] == part.nets["TXD"]


def test_no_part_covers_a_designator_and_value() -> None:
    board = board_file()
    bodies = [body for footprint in find(board, "footprint") if (body := body_of(footprint))]
    texts = {text[1]: find(text, "at")[0][1:] for text in find(board, "gr_text")}
    for part in board_design().footprints:
        if not part.label and part.group != "holes":
            x, y, *turn = map(float, texts[f"{part.ref} {part.value}"])
            long = len(f"{part.ref} {part.value}") * LETTER * 0.8 / 2
            w, h = (0.4, long) if turn == [90] else (long, 0.4)
            for ref, (x0, y0, x1, y1) in bodies:
                assert x + w <= x0 or x - w >= x1 or y + h <= y0 or y - h >= y1, f"{ref} covers {part.ref}"


def body_of(footprint: list[Any]) -> tuple[str, tuple[float, float, float, float]] | None:
    """Return the designator of a part on the upper side, and the rectangle around its body."""
    x, y, *turned = map(float, find(footprint, "at")[0][1:])
    turn = radians(turned[0]) if turned else 0.0
    drawn = [item for kind in ("fp_line", "fp_rect", "fp_poly", "fp_circle") for item in find(footprint, kind)]
    corners = [
        (float(place[1]), float(place[2]))
        for item in drawn
        if find(item, "layer")[0][1] == "F.Fab"
        for places in (item, *find(item, "pts"))
        for kind in ("start", "end", "xy")
        for place in find(places, kind)
    ]
    xs = [x + px * cos(turn) + py * sin(turn) for px, py in corners]
    ys = [y - px * sin(turn) + py * cos(turn) for px, py in corners]
    [ref] = refs(footprint)
    return (str(ref), (min(xs), min(ys), max(xs), max(ys))) if xs else None


def test_the_licence_is_on_the_board_in_the_title_block_and_in_the_archive() -> None:
    licence = "CERN-OHL-P-2.0, https://cern.ch/cern-ohl"
    assert licence in [text[1] for text in find(board_file(), "gr_text")]
    [block] = find(parse((FOLDER / "reboard-carrier.kicad_sch").read_text(encoding="utf-8")), "title_block")
    assert licence in [comment[2] for comment in find(block, "comment")]
    with zipfile.ZipFile(FOLDER / "gerbers.zip") as archive:
        text = archive.read("LICENCE.txt").decode()
    assert text == build.licence(board_design())
    assert licence in text
    assert "CERN Open Hardware Licence Version 2 - Permissive" in text


def test_a_fuse_in_the_batterys_wire_is_bought() -> None:
    [fuse] = [row for row in csv.DictReader(build.bom(board_design()).splitlines()) if row["Designator"] == "F201"]
    assert (fuse["MPN"], fuse["Footprint"]) == ("MF-R050", "")
    assert "MOTOR_SUPPLY" not in board_design().nets(), "what is before the fuse is not on the board"


def test_the_socket_below_has_the_numbering_of_a_pi_seen_from_above() -> None:
    [socket] = [f for f in find(board_file(), "footprint") if refs(f) == ["J1"]]
    x, y, turn = map(float, find(socket, "at")[0][1:4])
    assert find(socket, "layer")[0][1] == "B.Cu"
    assert turn in (90, -90, 270)
    quarter = 1 if turn == 90 else -1
    at = {pad[1]: find(pad, "at")[0] for pad in find(socket, "pad")}
    # KiCad turns a footprint counterclockwise, with y downwards
    places = {pin: (x + quarter * float(p[2]), y - quarter * float(p[1])) for pin, p in at.items()}
    pi_x, pi_y = board_design().data["pi"]
    for pin, (px, py) in places.items():
        column, is_even = divmod(int(pin) - 1, 2)
        assert px == pytest.approx(pi_x + 8.37 + 2.54 * column, abs=0.01)
        assert py == pytest.approx(pi_y + 3.5 + (-1.27 if is_even else 1.27), abs=0.01)


def test_a_zero_has_a_screw_at_each_of_its_corners() -> None:
    design, zero = board_design().data, measures("pi-zero")
    (x, y), (wide, deep) = design["pi"], zero["holes_apart"]
    for dx in (-wide / 2, wide / 2):
        for dy in (-deep / 2, deep / 2):
            assert [x + zero["width"] / 2 + dx, y + zero["depth"] / 2 + dy] in design["holes"].values()


def refs(footprint: list[object]) -> list[object]:
    return [entry[2] for entry in find(footprint, "property") if entry[1] == "Reference"]


def test_no_plug_fits_a_socket_with_other_nets() -> None:
    """The sockets of the board, and the plugs of the cables between boxes."""
    fits: dict[str, dict[str, Sequence[str]]] = {}
    for part in board_design().footprints:
        if part.plug:
            nets = [part.nets.get(str(way), "") for way in range(1, part.pins + 1)]
            fits.setdefault(part.plug, {})[part.ref] = nets
    assert len(fits) > 10
    assert {part.contact for part in board_design().footprints if part.plug} == {"SXH-001T-P0.6", "SVH-21T-P1.1"}
    for cable in (cable for name in BUILDS for cable in harness(name).cables if cable.plug == "XH"):
        free = [""] * (cable.positions - len(cable.nets))
        fits.setdefault(f"XHP-{cable.positions}", {})[cable.name] = [*map(net_name, cable.nets), *free]
    for plug, ends in fits.items():
        assert len(set(map(tuple, ends.values()))) == 1, f"{plug} joins other nets: {ends}"


def test_the_blocks_cable_fits_the_board() -> None:
    [cable] = [cable for cable in harness("all").cables if cable.name == "W52"]
    [socket] = [part for part in board_design().footprints if part.plug == f"XHP-{cable.positions}"]
    assert list(socket.nets.values()) == [net_name(net) for net in cable.nets]


def test_motor_current_has_areas_of_its_own() -> None:
    zones = find(board_file(), "zone")
    poured = {find(zone, "net_name")[0][1] for zone in zones if find(zone, "net_name")}
    assert {"MOTOR_+", "MOTOR_-", "GND"} <= poured
    zone = board_design().data["zone"]
    for segment in find(board_file(), "segment"):
        if find(segment, "layer")[0][1] == "B.Cu":
            ends = [tuple(map(float, find(segment, end)[0][1:3])) for end in ("start", "end")]
            for x0, y0, x1, y1 in (zone["area"], zone["bridge"]):
                cut = any(x0 <= x <= x1 and y0 <= y <= y1 for x, y in ends)
                assert not cut, f"a track at {ends} cuts the motor's ground"


def test_the_board_says_that_it_was_never_built() -> None:
    texts = [text[1] for text in find(board_file(), "gr_text")]
    assert any("NEVER BUILT" in text for text in texts)


def test_the_bill_of_materials_has_each_part_once() -> None:
    rows = list(csv.DictReader(build.bom(board_design()).splitlines()))
    listed = [ref for row in rows if row["Designator"] for ref in row["Designator"].split(", ")]
    on_board = [part.ref for part in board_design().footprints if part.group != "holes"]
    assert sorted(listed) == sorted([*on_board, *board_design().data["off_board"]["in_line"]])
    assert all(int(row["Quantity"]) == len(row["Designator"].split(", ")) for row in rows if row["Designator"])


@pytest.mark.parametrize("only", board_design().data["only"])
def test_an_order_has_one_alternative_of_the_slots_and_a_contact_for_each_wire_of_a_plug(only: str) -> None:
    rows = list(csv.DictReader(build.order(board_design(), only).splitlines()))
    ordered = {row["Manufacturer Part Number"]: int(row["Quantity"]) for row in rows}
    assert len(ordered) == len(rows), "a number on two lines is bought once by some tools"
    assert all(row["Manufacturer"] and len(row["Customer Reference"]) <= 48 for row in rows)
    wires: Counter[str] = Counter()
    references = {name for row in rows for name in row["Customer Reference"].split(",")}
    for part in board_design().footprints:
        is_needed = not part.optional and part.group != "holes" and part.only in ("", only)
        assert (part.ref in references) == is_needed, part.ref
        if not is_needed:
            assert part.plug not in ordered or not part.plug
            continue
        if part.plug:
            assert ordered[part.plug] == 1
            wires[part.contact] += len(part.nets)
    assert all(ordered[contact] > number for contact, number in wires.items())
    assert "BSS138" not in ordered, "a display for 3.3 V needs no level shifter"


def test_the_bill_of_materials_says_what_readers_and_what_card_switches_need() -> None:
    for part in board_design().footprints:
        if part.group in ("bank.left", "bank.right"):
            assert part.only == f"with {'card readers' if part.ref in ('J301', 'J302', 'R303') else 'card switches'}", (
                part.ref
            )
        else:
            assert not part.only, part.ref


def test_the_outline_is_toml() -> None:
    outline = tomllib.loads(build.outline(board_design()))
    assert outline["size"] == [100.0, 95.0]
    assert {connector["ref"] for connector in outline["connector"]} >= {"J1", "J203", "J305"}


def test_another_netlist_of_kicad_is_refused() -> None:
    nets = dict(board_design().nets())
    nets["MOTOR_GATE"] |= nets.pop("MOTOR_+")
    with pytest.raises(KicadError, match="MOTOR_GATE"):
        build.compare(board_design().nets(), nets)


def test_a_terminal_that_no_pad_stands_for_is_refused() -> None:
    design = board_design()
    without = replace(design, footprints=[part for part in design.footprints if part.ref != "J202"])
    with pytest.raises(DesignError, match=r"M201\.\+"):
        check(without, {"M201.+": "apple.motor: motor +"})


def test_everything_is_on_the_sheet_of_the_schematic_and_not_under_its_title() -> None:
    sheet = parse((FOLDER / "reboard-carrier.kicad_sch").read_text(encoding="utf-8"))
    corners = [
        corner[1:3] for frame in find(sheet, "rectangle") for corner in (*find(frame, "start"), *find(frame, "end"))
    ]
    items = [find(item, "at")[0][1:3] for kind in ("symbol", "global_label", "text") for item in find(sheet, kind)]
    left, top, right, bottom = schematic.TITLE_BLOCK
    for x, y in (tuple(map(float, place)) for place in (*corners, *items)):
        assert 0 < x < right
        assert 0 < y < bottom
        assert x < left or y < top


def test_too_many_groups_for_the_sheet_are_refused() -> None:
    places = schematic.packed([(250.0, 150.0)] * 3)
    assert len(set(places)) == 3
    with pytest.raises(DesignError, match="250 × 150"):
        schematic.packed([(250.0, 150.0)] * 5)


def test_the_time_is_left_out_of_kicads_files() -> None:
    times = ("2026-11-27T12:55:04+00:00", "2026-11-27 12:55:04", "(D:20261127125504)", "2026-11-27T12:55:04")
    for time in times:
        without = build.without_time(f"1.5 {time} X02026".encode())
        assert without == build.without_time(f"1.5 {time.replace('27', '28')} X02026".encode())
        assert len(without) == len(time) + 11
        assert without.endswith(b" X02026")


def test_kicads_files_survive_reading_and_writing() -> None:
    node = parse('(a "b \\"c\\"\n" (d 1.5 e))')
    assert parse(dump(node)) == node


def test_the_router_goes_around_what_is_in_the_way() -> None:
    pads = [Pad("A", 2, 5, 1, 1, (0,)), Pad("A", 8, 5, 1, 1, (0,))]
    wall = Block(4.5, 0, 5.5, 10, (0,))
    router = Router((10, 10), pads, [wall], lambda net: [0.3])
    router.route()
    assert len(router.vias) == 2  # below the wall
    with pytest.raises(NoWayError):
        Router((10, 10), pads, [replace(wall, layers=(0, 1))], lambda net: [0.3]).route()
