"""The parts list: made of the data, up to date, and within its budgets."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections import Counter
from pathlib import Path

import pytest

from hardware.making import parts_list
from hardware.making.__main__ import main
from hardware.making.drawings import SHEETS, Sheet
from hardware.making.parts_list import BUDGETS, as_csv, cost_eur, items
from reboard.config import load_config
from reboard.wiring.connections import ohms
from reboard.wiring.drawn import circuit_of
from reboard.wiring.pi import models


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


def test_whoever_has_the_original_cards_buys_no_reader() -> None:
    bought = {item.function for item in items() if item.quantity["unit for original cards"]}
    assert {"feels a bump of a card", "sixteen keys", "display"} <= bought
    assert not bought & {"card reader, 125 kHz", "bank cards", "serial line on USB"}


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
