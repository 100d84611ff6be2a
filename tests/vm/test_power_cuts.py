"""The plug is pulled in the middle of transfers, again and again, on a real disk under a real file system."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.vm.machine.disk import empty
from tests.vm.machine.door import Door, Event, snapshot
from tests.vm.machine.inside import InsideError
from tests.vm.machine.machine import Machine
from tests.vm.machine.table import STATE, Table
from tests.vm.making.at_play import AT_PLAY, disk_at_play
from tests.vm.report import Report

CUTS = 20
SEED = 2008
MOST_BEFORE = 2
"""So many transfers are seen at the most before the one that the plug is pulled in."""

BEGIN, AMOUNT = 15_000_000, 1000
AT_MOST = 1.5
"""The plug is pulled so long after the key that enters an amount, at the most, in times of what the payment before took
until it was told; by our clock, since pulling a plug is nothing that the machine does."""

STATE_MB = 64
STOPPED = "stopped"
NAMES = ("id", "game", "from", "to", "amount", "reason", "undoes")


def test_every_transfer_that_was_told_is_there_after_twenty_power_cuts(tmp_path: Path, report: Report) -> None:
    """Twenty times the system is as it was before, and its ledger's disk as the last cut has left it."""
    rng = random.Random(SEED)
    print(f"seed {SEED}")
    state = empty(tmp_path / "state.raw", STATE_MB)
    told: list[Event] = []
    paid = there_untold = told_in_time = 0
    disk = disk_at_play(tmp_path)
    with Machine(disk, tmp_path) as machine:
        machine.power_on(AT_PLAY)
        Table(machine).stop()
        machine.remember(STOPPED)
        for cut in range(CUTS):
            machine.power_on(STOPPED)
            table = _play_from(state, machine)
            if cut:
                more = _balance_of_1(table) - BEGIN - paid * AMOUNT
                assert more in (0, AMOUNT), "of what the plug was pulled in there is all or nothing"
                there_untold += more // AMOUNT
                paid += more // AMOUNT
            before, last = _pay_until_the_plug_is_pulled(table, rng)
            told += [*before, *last]
            paid += len(before) + len(last)
            told_in_time += len(last)
        machine.power_on()
        Table(machine).stop()
        table = _play_from(state, machine)
        table.verify()
        kept = {row["id"]: row for row in table.ledger()}
    disk.unlink()
    report.tell("power cuts in mid-transfer: it was told, and is there", f"{told_in_time} of {CUTS}")
    report.tell("power cuts in mid-transfer: it was not told yet, and is there", f"{there_untold} of {CUTS}")
    for event in told:
        assert {name: kept[event["id"]][name] for name in NAMES} == {name: event[name] for name in NAMES}
    assert 0 < told_in_time < CUTS, "the plug was always pulled before a transfer was told, or always after"


def _play_from(state: Path, machine: Machine) -> Table:
    """Play with the ledger on a disk of its own, as docs/install-and-repair.md has it for a root that is only read."""
    table = Table(machine)
    machine.inside.must("mount", machine.plug_disk_in(state), STATE)
    table.start()
    return table


def _balance_of_1(table: Table) -> int:
    [balance] = [card["balance"] for card in snapshot(table.machine.inside)["cards"] if card["number"] == 1]
    return int(balance)


def _pay_until_the_plug_is_pulled(table: Table, rng: random.Random) -> tuple[list[Event], list[Event]]:
    """Card 2 pays card 1; what the table told before the payment that the plug is pulled in, and of that."""
    door = table.door()
    for card, slot in ((1, "left"), (2, "right")):
        table.insert(slot, card)
        door.until("card.inserted", slot=slot)
    before, took_s = [], 0.0
    for _ in range(rng.randint(1, MOST_BEFORE)):
        with _entering(table):
            began = time.monotonic()
            before.append(door.until("transfer"))
            took_s = time.monotonic() - began
    with _entering(table):
        time.sleep(rng.uniform(0.0, AT_MOST * took_s))
        table.machine.pull_the_plug()
    return before, _last_words(door)


@contextmanager
def _entering(table: Table) -> Iterator[None]:
    """Type an amount; while the body runs, the key is tapped that enters it."""

    def tap() -> None:
        with suppress(InsideError):  # the plug is out
            table.type_keys("K")

    table.type_keys("1")
    finger = threading.Thread(target=tap)
    finger.start()
    try:
        yield
    finally:
        finger.join()


def _last_words(door: Door) -> list[Event]:
    try:
        return [door.until("transfer")]
    except InsideError:
        return []
