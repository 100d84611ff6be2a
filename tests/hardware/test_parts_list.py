"""The parts list: up to date, and with everything that a drawing and a housing need."""

from __future__ import annotations

import csv
import re
import tomllib
from collections import Counter

import pytest

from hardware.making import parts_files
from hardware.making.board import build as board
from hardware.making.board.design import board_design
from hardware.making.builds import BUILDS, HARDWARE
from hardware.making.cables import harness
from hardware.making.housings import banker_unit, box, lever, switch_box, worm_apple
from hardware.making.housings.bought import motor_holes
from hardware.making.housings.measures import measures
from hardware.making.housings.pieces import piece_names
from hardware.making.parts_files import order_file
from hardware.making.parts_list import PIS, REASONS, cost_eur, items
from reboard.finding import Level
from reboard.netlist.circuit import ohms
from reboard.netlist.supply_rules import currents


def test_the_lists_that_are_kept_are_up_to_date() -> None:
    lists = parts_files.contents()
    for file, text in lists.items():
        assert text == file.read_text(encoding="utf-8"), f"{file.name} is old: run `make parts`"
    assert set(parts_files.ORDERS.iterdir()) <= {*lists, *board.lists(board_design())}, (
        "an order of nothing that can be built"
    )


@pytest.mark.parametrize("build", BUILDS)
def test_every_part_of_a_drawing_is_bought_under_its_designator(build: str) -> None:
    drawn = {
        part.designator: (part.kind.function, f"{ohms(part.ohm)}, {part.kind.value}" if part.ohm else part.kind.value)
        for part in harness(build).circuit.parts
    }
    bought = {
        designator: (item.function, item.value) for item in items() for designator in item.designators.get(build, ())
    }
    assert bought == drawn
    for item in items():
        assert not item.designators or len(item.designators[build]) == item.quantity[build]


def test_each_column_of_the_spreadsheet_has_a_name_of_its_own() -> None:
    [head, *_] = csv.reader(parts_files.CSV_FILE.read_text(encoding="utf-8").splitlines())
    assert len(head) == len(set(head))


def order(build: str) -> list[dict[str, str]]:
    with order_file(build).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("build", BUILDS)
def test_a_distributor_understands_every_line_of_an_order(build: str) -> None:
    numbers = [row["Manufacturer Part Number"] for row in order(build) if row["Manufacturer Part Number"]]
    assert len(numbers) == len(set(numbers)), "a number on two lines is bought once by some tools"
    assert "Raspberry Pi Zero 2 W" in [row["Description"] for row in order(build)]
    for row in order(build):
        assert row["Manufacturer"] or not row["Manufacturer Part Number"]
        assert row["Description"]
        assert int(row["Quantity"]) > 0
        assert len(row["Customer Reference"]) <= 48, "too long for the label on a bag"
        if re.match(r"[A-Z]+\d", row["Customer Reference"]):
            assert len(row["Customer Reference"].split(", ")) == int(row["Quantity"])


@pytest.mark.parametrize("build", BUILDS)
def test_an_order_has_each_part_of_the_drawing(build: str) -> None:
    ordered = [name for row in order(build) for name in row["Customer Reference"].split(", ")]
    drawn = [part.designator for part in BUILDS[build].circuit().parts]
    assert sorted(name for name in ordered if re.fullmatch(r"[A-Z]+\d+", name)) == sorted(drawn)


def test_a_level_shifter_is_listed_for_an_lcd_of_5_v_and_is_in_no_price() -> None:
    [shifter] = [item for item in items() if item.function == "level shifter"]
    assert shifter.only_if == REASONS["5v-display"]
    assert {build for build in BUILDS if shifter.quantity[build]} == {
        build for build in BUILDS if any(part.kind.name == "display" for part in BUILDS[build].circuit().parts)
    }
    assert shifter.value not in [row["Description"] for row in order("unit")]


def test_what_was_checked_names_its_data_sheet() -> None:
    for item in items():
        assert item.data_sheet or not item.checked, item.function
        assert item.manufacturer or not item.mpn, item.function


def test_every_piece_of_a_housing_is_weighed() -> None:
    [filament] = [item for item in items() if item.measure == "g"]
    basics = tomllib.loads((HARDWARE / "basics.toml").read_text(encoding="utf-8"))
    weighed = {piece for pieces in basics["filament"]["pieces"].values() for piece in pieces}
    alike, light = {name for name in piece_names() if name.endswith("-base-pi-3-4-5")}, {"test-coupon"}
    assert weighed | alike | light == set(piece_names())
    assert filament.quantity["all"] == sum(filament.quantity[build] for build in ("block", "unit", "apple"))
    assert 100 < filament.quantity["block"] < filament.quantity["apple"]


@pytest.mark.parametrize("pi", PIS)
@pytest.mark.parametrize("build", BUILDS)
def test_with_a_pi_come_one_memory_card_and_one_supply_that_is_strong_enough(build: str, pi: str) -> None:
    bought = [item for item in items() if pi in item.pi and item.quantity[build]]
    count = Counter[str]()
    for item in bought:
        count[item.function] += item.quantity[build]
    assert (count["Raspberry Pi"], count["supply"], count["memory card"]) == (1, 1, 1)
    assert cost_eur(build, pi) > cost_eur(build) + PIS[pi].price_eur
    [amperes] = [float(item.value.split(" A")[0].split()[-1]) for item in bought if item.function == "supply"]
    for finding in currents(BUILDS[build].circuit(), PIS[pi], amperes):
        # a Pi 3B+ at its peak leaves less than a fifth of what its own fuse lets through
        allowed = {Level.FINE, Level.NOTE} if pi == "3" else {Level.FINE}
        assert finding.level in allowed, finding.what
    assert amperes >= PIS[pi].supply_a


def for_the_housing(value: str, build: str) -> int:
    return sum(
        item.quantity[build] for item in items() if item.value.startswith(value) and item.only_if == REASONS["printed"]
    )


def test_there_is_a_screw_for_every_hole_of_a_housing() -> None:
    to_the_panel, carried = len(banker_unit.slot_screws()), 2 * len(measures("unit")["slots"])
    setting = len(switch_box.setting_screws()) * len(measures("unit")["slots"])
    bases = {"block": box.base_screws("block"), "unit": banker_unit.base_screws(), "apple": worm_apple.screws()}
    for build, holes in {**bases, "die": box.base_screws("die")}.items():
        assert for_the_housing("M3 × 12", build) == for_the_housing("heat-set insert", build) == len(holes)
    assert for_the_housing("M3 × 12", "all") == sum(map(len, bases.values()))
    assert for_the_housing("M3 × 10", "unit") == to_the_panel - carried
    assert for_the_housing("M3 × 10", "die") == for_the_housing("12 mm wide", "die") == len(box.row_screws())
    assert for_the_housing("M3 × 20", "unit") == for_the_housing("M3 × 30", "unit-original-cards") == carried
    assert for_the_housing("M3 × 10", "unit-original-cards") == to_the_panel - carried + setting
    assert for_the_housing(f"M3 × {measures('motor')['screw']:.0f}", "apple") == len(motor_holes())
    assert for_the_housing("M2 × 16", "apple") == len(lever.switch_screws())
    holes_of_a_pi, holes_of_a_display = 4, 4
    assert {for_the_housing("M2.5 × 6", build) for build in ("block", "die", "apple")} == {holes_of_a_pi}
    assert for_the_housing("M2.5 × 6", "unit") == holes_of_a_pi + holes_of_a_display
