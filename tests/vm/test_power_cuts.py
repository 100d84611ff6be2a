"""The plug is pulled in the middle of transfers, again and again, on a real disk under a real file system."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.vm.machine.disk import over
from tests.vm.machine.door import Door
from tests.vm.machine.header import TAP_S
from tests.vm.machine.inside import InsideError
from tests.vm.machine.machine import Machine
from tests.vm.machine.table import Table
from tests.vm.making.installed import installed

CUTS = 20
SEED = 2008
MOST_BEFORE = 4
"""So many transfers are seen at the most before the one that the plug is pulled in."""

AROUND_S = (-0.005, 0.025)
"""When the plug is pulled, counted from the key that enters an amount."""

NAMES = ("id", "game", "from", "to", "amount", "reason", "undoes")


def test_every_transfer_that_was_told_is_there_after_twenty_power_cuts(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    told: list[Mapping[str, Any]] = []
    with Machine(over(installed(), tmp_path / "disk.qcow2"), tmp_path) as machine:
        for _ in range(CUTS):
            machine.power_on()
            _everything_is_there(Table(machine), told)
            told += _pay_until_the_plug_is_pulled(machine, rng)
        machine.power_on()
        _everything_is_there(Table(machine), told)
    assert len(told) > CUTS


def _everything_is_there(table: Table, told: list[Mapping[str, Any]]) -> None:
    table.await_ready()
    kept = {row["id"]: row for row in table.ledger()}
    for event in told:
        assert {name: kept[event["id"]][name] for name in NAMES} == {name: event[name] for name in NAMES}
    table.verify()


def _pay_until_the_plug_is_pulled(machine: Machine, rng: random.Random) -> list[Mapping[str, Any]]:
    """Card 2 pays card 1, a thousand at a time, as fast as a hand can; what the table told of it."""
    table = Table(machine)
    table.insert("left", 1)
    table.insert("right", 2)
    door = table.door()
    table.await_cards(1, 2)
    typist = threading.Thread(target=_pay_for_ever, args=(table,))
    typist.start()
    told = [door.until("transfer") for _ in range(rng.randint(1, MOST_BEFORE))]
    time.sleep(4 * TAP_S + rng.uniform(*AROUND_S))
    machine.pull_the_plug()
    typist.join()
    return told + _last_words(door)


def _pay_for_ever(table: Table) -> None:
    try:
        while True:
            table.type_keys("1", "K")
    except InsideError:
        return  # the machine is off


def _last_words(door: Door) -> list[Mapping[str, Any]]:
    told = []
    try:
        while True:
            told.append(door.until("transfer"))
    except InsideError:
        return told
