"""The parts list: made of the data, up to date, and within its budgets."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from collections import Counter
from pathlib import Path

import pytest

from hardware.making import parts_list
from hardware.making.__main__ import main
from hardware.making.drawings import SHEETS, Sheet
from hardware.making.housings import banker_unit, lever, question_block, switch_box, worm_apple
from hardware.making.housings.bought import motor_holes
from hardware.making.housings.measures import measures
from hardware.making.parts_list import BUDGETS, ONLY_IF, as_csv, cost_eur, items
from reboard.config import load_config
from reboard.finding import Level
from reboard.settings.wiring import Wiring
from reboard.wiring.connections import ohms
from reboard.wiring.electrical.supply import whole
from reboard.wiring.pi import models
from reboard.wiring.soldering import circuit_of


def test_the_lists_that_are_kept_are_those_that_are_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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


def test_the_page_of_the_folder_has_the_prices_of_the_list() -> None:
    page = (parts_list.HARDWARE / "README.md").read_text(encoding="utf-8")
    told = re.findall(r"\[about (\d+) €\]\(parts-list.md\) \| \[SVG\]\(drawings/([a-z-]+)\.svg\)", page)
    assert {name: int(euros) for euros, name in told} == {
        name: round(cost_eur(sheet.budget)) for name, sheet in SHEETS.items()
    }


def test_what_all_three_need_is_what_our_own_table_has() -> None:
    ours = circuit_of(load_config(parts_list.HARDWARE / "table.toml"))
    assert SHEETS["all"].circuit().parts == ours.parts


def test_a_block_costs_about_ten_euros() -> None:
    assert 7 <= cost_eur("block") <= 11


def test_everything_costs_less_than_its_parts_bought_apart() -> None:
    assert max(map(cost_eur, ("block", "unit", "apple"))) < cost_eur("all")
    assert cost_eur("all") < sum(map(cost_eur, ("block", "unit", "apple")))


@pytest.mark.parametrize("pi", models())
@pytest.mark.parametrize("budget", BUDGETS)
def test_with_each_pi_come_one_pi_one_supply_and_one_memory_card(budget: str, pi: str) -> None:
    bought = Counter[str]()
    for item in items():
        if pi in item.pi:
            bought[item.function] += item.quantity[budget]
    assert (bought["Raspberry Pi"], bought["supply"], bought["memory card"]) == (1, 1, 1)
    assert cost_eur(budget, pi) > cost_eur(budget) + models()[pi].price_eur


def amperes_of_the_supply(budget: str, pi: str) -> float:
    """How strong the supply is that is bought for *budget* with a *pi*."""
    [supply] = [item for item in items() if item.function == "supply" and pi in item.pi and item.quantity[budget]]
    [amperes] = re.findall(r"([\d.]+) A\b", supply.value)
    return float(amperes)


@pytest.mark.parametrize("pi", models())
@pytest.mark.parametrize("budget", BUDGETS)
def test_the_supply_that_is_bought_is_strong_enough_for_the_electrical_check_when_the_motor_starts(
    budget: str, pi: str
) -> None:
    circuit = BUDGETS[budget].circuit()

    def judged(amperes: float) -> Level:
        [finding] = whole(circuit, Wiring(pi=pi, supply_a=amperes, speaker="max98357a"))
        return finding.level

    bought = amperes_of_the_supply(budget, pi)
    assert judged(bought) is Level.FINE
    assert judged(2.5) is (Level.NOTE if any(circuit.of_kind("motor")) else Level.FINE)
    assert bought >= models()[pi].supply_a


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)
def test_the_foil_keypads_plug_comes_with_pins(sheet: Sheet) -> None:
    keypads = len(list(sheet.circuit().of_kind("keypad")))
    strips = [item for item in items() if item.value.startswith("pin strip, 8 pins")]
    assert [item.quantity[sheet.budget] for item in strips] == [keypads]
    terminals = [part.kind.terminals for part in sheet.circuit().of_kind("keypad")]
    assert all(len(labels) == 8 for labels in terminals)


def test_whoever_has_the_original_cards_buys_no_reader() -> None:
    bought = {item.function for item in items() if item.quantity["unit for original cards"]}
    assert {"feels a bump of a card", "sixteen keys", "display"} <= bought
    assert not bought & {"card reader, 125 kHz", "bank cards", "serial line on USB"}


def for_the_housing(value: str, budget: str) -> int:
    return sum(item.quantity[budget] for item in items() if item.value.startswith(value) and item.only_if == "printed")


def test_there_is_a_screw_for_every_hole_of_a_housing() -> None:
    to_the_panel, carried = len(banker_unit.slot_screws()), 2 * len(measures("unit")["slots"])
    setting = len(switch_box.setting_screws()) * len(measures("unit")["slots"])
    bases = {"block": question_block.base_screws(), "unit": banker_unit.base_screws(), "apple": worm_apple.screws()}
    for budget, holes in bases.items():
        assert for_the_housing("M3 × 12", budget) == len(holes)
    assert for_the_housing("M3 × 12", "all") == sum(map(len, bases.values()))
    assert for_the_housing("M3 × 10", "unit") == to_the_panel - carried
    assert for_the_housing("M3 × 20", "unit") == for_the_housing("M3 × 30", "unit for original cards") == carried
    assert for_the_housing("M3 × 10", "unit for original cards") == to_the_panel - carried + setting
    assert for_the_housing(f"M3 × {measures('motor')['screw']:.0f}", "apple") == len(motor_holes())
    assert for_the_housing("M2 × 16", "apple") == len(lever.switch_holes().decompose())
    holes_of_a_pi, holes_of_a_display = 4, 4
    assert for_the_housing("M2.5 × 6", "block") == for_the_housing("M2.5 × 6", "apple") == holes_of_a_pi
    assert for_the_housing("M2.5 × 6", "unit") == holes_of_a_pi + holes_of_a_display


def test_what_only_some_need_is_listed_and_not_in_the_price() -> None:
    some = [item for item in items() if item.only_if]
    assert {item.only_if for item in some} == set(ONLY_IF)
    everything = sum(item.price_eur * item.quantity["apple"] for item in items() if not item.is_the_pis)
    assert cost_eur("apple") < everything
    assert "our housing is printed" in as_csv()


def test_the_original_cards_table_is_our_own_but_for_its_slots() -> None:
    shipped, original = (
        dataclasses.replace(config, path=Path(), bank=dataclasses.replace(config.bank, left=None, right=None))
        for config in (load_config(parts_list.HARDWARE / f"{name}.toml") for name in ("table", "original-cards"))
        if config.bank
    )
    assert original == shipped


def test_the_spreadsheet_has_a_row_for_each_thing() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv())))
    assert len(rows) == len(items())
    assert rows[0]["function"] == "push button"
    assert float(rows[0]["price_eur"]) > 0
    assert {row["pi"] for row in rows} == {"all", "Zero 2 W, 3", "Zero 2 W", "3", "4", "5"}


def test_what_cannot_be_made_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gold"]) == 2
    assert "parts" in capsys.readouterr().err
