"""The parts list: up to date, and with everything that a drawing and a housing need."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hardware.making import parts_list
from hardware.making.__main__ import main
from hardware.making.drawings import SHEETS, Sheet
from hardware.making.housings import banker_unit, lever, question_block, switch_box, worm_apple
from hardware.making.housings.bought import motor_holes
from hardware.making.housings.measures import measures
from hardware.making.parts_list import BUDGETS, PIS, cost_eur, items
from reboard.finding import Level
from reboard.netlist.circuit import ohms
from reboard.netlist.supply_rules import currents
from reboard.table_config import load_config
from reboard.wiring.table_netlist import circuit_of


def test_the_lists_that_are_kept_are_up_to_date(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = {name: getattr(parts_list, name) for name in ("CSV_FILE", "PAGE_FILE")}
    for name, file in kept.items():
        monkeypatch.setattr(parts_list, name, tmp_path / file.name)
    assert main(["parts"]) == 0
    for file in kept.values():
        assert (tmp_path / file.name).read_text() == file.read_text(), f"{file.name} is old: run `make parts`"


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)
def test_every_part_of_a_drawing_is_bought(sheet: Sheet) -> None:
    drawn = Counter(
        (part.kind.function, f"{ohms(part.ohm)}, {part.kind.value}" if part.ohm else part.kind.value)
        for part in sheet.circuit().parts
    )
    bought = {(item.function, item.value): item.quantity[sheet.budget] for item in items()}
    assert {part: bought[part] for part in drawn} == drawn


def test_all_three_are_what_our_own_table_has() -> None:
    assert SHEETS["all"].circuit().parts == circuit_of(load_config(parts_list.OUR_TABLE)).parts


@pytest.mark.parametrize("pi", PIS)
@pytest.mark.parametrize("budget", BUDGETS)
def test_with_a_pi_come_one_memory_card_and_one_supply_that_is_strong_enough(budget: str, pi: str) -> None:
    bought = [item for item in items() if pi in item.pi and item.quantity[budget]]
    count = Counter[str]()
    for item in bought:
        count[item.function] += item.quantity[budget]
    assert (count["Raspberry Pi"], count["supply"], count["memory card"]) == (1, 1, 1)
    assert cost_eur(budget, pi) > cost_eur(budget) + PIS[pi].price_eur
    [amperes] = [float(item.value.split(" A")[0].split()[-1]) for item in bought if item.function == "supply"]
    for finding in currents(BUDGETS[budget].circuit(), PIS[pi], amperes):
        # a Pi 3B+ at its peak leaves less than a fifth of what its own fuse lets through
        allowed = {Level.FINE, Level.NOTE} if pi == "3" else {Level.FINE}
        assert finding.level in allowed, finding.what
    assert amperes >= PIS[pi].supply_a


def for_the_housing(value: str, budget: str) -> int:
    return sum(item.quantity[budget] for item in items() if item.value.startswith(value) and item.only_if == "printed")


def test_there_is_a_screw_for_every_hole_of_a_housing() -> None:
    to_the_panel, carried = len(banker_unit.slot_screws()), 2 * len(measures("unit")["slots"])
    setting = len(switch_box.setting_screws()) * len(measures("unit")["slots"])
    bases = {"block": question_block.base_screws(), "unit": banker_unit.base_screws(), "apple": worm_apple.screws()}
    for budget, holes in bases.items():
        assert for_the_housing("M3 × 12", budget) == len(holes)
        assert for_the_housing("M3, brass", budget) == len(holes)
    assert for_the_housing("M3 × 12", "all") == sum(map(len, bases.values()))
    assert for_the_housing("M3 × 10", "unit") == to_the_panel - carried
    assert for_the_housing("M3 × 20", "unit") == for_the_housing("M3 × 30", "unit for original cards") == carried
    assert for_the_housing("M3 × 10", "unit for original cards") == to_the_panel - carried + setting
    assert for_the_housing(f"M3 × {measures('motor')['screw']:.0f}", "apple") == len(motor_holes())
    assert for_the_housing("M2 × 16", "apple") == len(lever.switch_screws())
    holes_of_a_pi, holes_of_a_display = 4, 4
    assert for_the_housing("M2.5 × 6", "block") == for_the_housing("M2.5 × 6", "apple") == holes_of_a_pi
    assert for_the_housing("M2.5 × 6", "unit") == holes_of_a_pi + holes_of_a_display
