"""The plug is pulled in the middle of transfers, again and again, on a real disk under a real file system."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.vm.machine.disk import empty
from tests.vm.machine.door import Door, snapshot
from tests.vm.machine.header import TAP_S
from tests.vm.machine.inside import InsideError
from tests.vm.machine.machine import Machine
from tests.vm.machine.table import STATE, Table
from tests.vm.making.at_play import AT_PLAY, disk_at_play

CUTS = 20
SEED = 2008
MOST_BEFORE = 4
"""So many transfers are seen at the most before the one that the plug is pulled in."""

AMOUNT = 1000
AROUND_S = (-0.1, 0.3)
"""When the plug is pulled, counted from the key that enters an amount; in our time, of which the machine takes more."""

STATE_MB = 64
STOPPED = "stopped"
NAMES = ("id", "game", "from", "to", "amount", "reason", "undoes")


def test_every_transfer_that_was_told_is_there_after_twenty_power_cuts(tmp_path: Path) -> None:
    """Twenty times the system is as it was before, and its ledger's disk as the last cut has left it."""
    rng = random.Random(SEED)
    print(f"seed {SEED}")
    state = empty(tmp_path / "state.raw", STATE_MB)
    told: list[Mapping[str, Any]] = []
    untold = 0
    with Machine(disk_at_play(tmp_path), tmp_path) as machine:
        machine.power_on(AT_PLAY)
        Table(machine).stop()
        machine.remember(STOPPED)
        machine.pull_the_plug()
        for _ in range(CUTS):
            machine.power_on(STOPPED)
            table = _play_from(state, machine)
            had = 15_000_000 + (len(told) + untold) * AMOUNT
            has = snapshot(machine.inside)["balances"]["1"] if told else had
            assert has in (had, had + AMOUNT), "of what the plug was pulled in there is all or nothing"
            untold += (has - had) // AMOUNT
            told += _pay_until_the_plug_is_pulled(table, rng)
        machine.power_on()
        Table(machine).stop()
        table = _play_from(state, machine)
        table.verify()
        kept = {row["id"]: row for row in table.ledger()}
    assert len(told) > CUTS
    for event in told:
        assert {name: kept[event["id"]][name] for name in NAMES} == {name: event[name] for name in NAMES}


def _play_from(state: Path, machine: Machine) -> Table:
    """Play with the ledger on a disk of its own, as docs/on-a-pi.md has it for a root that is only read."""
    table = Table(machine)
    machine.inside.must("mount", machine.plug_disk_in(state), STATE)
    table.start()
    return table


def _pay_until_the_plug_is_pulled(table: Table, rng: random.Random) -> list[Mapping[str, Any]]:
    """Card 2 pays card 1, a thousand at a time, as fast as a hand can; what the table told of it."""
    door = table.door()
    for card, slot in ((1, "left"), (2, "right")):
        table.insert(slot, card)
        door.until("card.inserted", slot=slot)
    typist = threading.Thread(target=_pay_for_ever, args=(table,))
    typist.start()
    told = [door.until("transfer") for _ in range(rng.randint(1, MOST_BEFORE))]
    time.sleep(max(0.0, 4 * TAP_S + rng.uniform(*AROUND_S)))
    table.machine.pull_the_plug()
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
