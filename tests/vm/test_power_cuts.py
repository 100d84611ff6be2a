"""The plug is pulled in the middle of transfers, again and again, on a real disk with a real file system."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tests.vm.machine.inside import InsideError
from tests.vm.machine.machine import Machine
from tests.vm.machine.table import REBOARD, Event, Events, Table
from tests.vm.making.at_play import AT_PLAY, disk_at_play
from tests.vm.report import report

CUTS = 20
SEED = 2008
MOST_BEFORE = 2
"""At most this many transfers are made before the one in which the plug is pulled."""

BEGIN, AMOUNT = 15_000_000, 1000
AT_MOST = 1.5
"""The plug is pulled at most this long after the key that enters an amount: a multiple of the time that the last
payment took until it was reported, by our clock, since the cut is nothing that the machine does."""

STOPPED = "stopped"
NAMES = ("id", "game", "from", "to", "amount", "reason", "undoes")


def test_every_reported_transfer_is_there_after_twenty_power_cuts(tmp_path: Path) -> None:
    """Before each cut the system is restored, but the ledger's disk is as the last cut has left it."""
    rng = random.Random(SEED)
    print(f"seed {SEED}")
    state = tmp_path / "state.raw"
    subprocess.run(["/sbin/mke2fs", "-q", "-t", "ext4", state, "64M"], check=True)
    reported: list[Event] = []
    paid = unreported = reported_in_time = 0
    disk = disk_at_play(tmp_path)
    with closing(Machine(disk, tmp_path)) as machine:
        machine.power_on(AT_PLAY)
        Table(machine).stop()
        machine.save_moment(STOPPED)
        for cut in range(CUTS):
            machine.power_on(STOPPED)
            table = _play_from(state, machine)
            if cut:
                [balance] = [card["balance"] for card in table.snapshot()["cards"] if card["number"] == 1]
                more = balance - BEGIN - paid * AMOUNT
                assert more in (0, AMOUNT), "all or nothing of the interrupted transfer is there"
                unreported += more // AMOUNT
                paid += more // AMOUNT
            before, last = _pay_until_the_plug_is_pulled(table, rng)
            reported += [*before, *last]
            paid += len(before) + len(last)
            reported_in_time += len(last)
        machine.power_on()
        Table(machine).stop()
        table = _play_from(state, machine)
        table.inside.must(REBOARD, "ledger", "verify")
        kept = {row["id"]: row for row in table.transfers()}
    disk.unlink()
    report("power cuts in mid-transfer: it was reported, and is there", f"{reported_in_time} of {CUTS}")
    report("power cuts in mid-transfer: it was not reported yet, and is there", f"{unreported} of {CUTS}")
    for event in reported:
        assert {name: kept[event["id"]][name] for name in NAMES} == {name: event[name] for name in NAMES}
    assert 0 < reported_in_time < CUTS, "the plug was always pulled before the report of a transfer, or always after"


def _play_from(state: Path, machine: Machine) -> Table:
    """Play with the ledger on its own disk, as docs/install.md describes it for a read-only system."""
    table = Table(machine)
    machine.inside.must("mount", machine.plug_disk_in(state), "/var/lib/reboard")
    table.start()
    return table


def _pay_until_the_plug_is_pulled(table: Table, rng: random.Random) -> tuple[list[Event], list[Event]]:
    """Let card 2 pay card 1. Return the reported transfers before the one in which the plug is pulled, and that one."""
    events = Events(table.inside)
    for card, slot in ((1, "left"), (2, "right")):
        table.insert(slot, card)
        events.until("card.inserted", slot=slot)
    before, last, took_s = [], [], 0.0
    for _ in range(rng.randint(1, MOST_BEFORE)):
        with _paying(table):
            began = time.monotonic()
            before.append(events.until("transfer"))
            took_s = time.monotonic() - began
    with _paying(table):
        time.sleep(rng.uniform(0.0, AT_MOST * took_s))
        table.machine.pull_the_plug()
    with suppress(InsideError):  # it was not reported
        last.append(events.until("transfer"))
    return before, last


@contextmanager
def _paying(table: Table) -> Iterator[None]:
    """Type an amount. While the body runs, press the key that enters it."""

    def press() -> None:
        with suppress(InsideError):  # the power is off
            table.type_keys("K")

    table.type_keys("1")
    finger = threading.Thread(target=press)
    finger.start()
    try:
        yield
    finally:
        finger.join()
