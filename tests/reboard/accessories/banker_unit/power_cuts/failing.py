"""A disk that fails while the table plays. It gets well again, or not; and at any instant the power goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

from reboard.accessories.banker_unit.accounts import BANK
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger import Ledger, Transfer
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.errors import ReboardError, Rejection
from reboard_sim.virtual_time import run
from tests.reboard.accessories.banker_unit.ledger_calls import pay
from tests.reboard.accessories.banker_unit.power_cuts.connection import OFTEN
from tests.reboard.accessories.banker_unit.power_cuts.disk import Confirmed, Disk
from tests.reboard.accessories.banker_unit.power_cuts.evening import begin, book_in, check_backups, play
from tests.reboard.accessories.banker_unit.power_cuts.recording import recorded

PRESSES = 4

FOR_GOOD = 10**9

Presses = frozenset[str]
"""The presses that are booked."""


@dataclass
class Fault:
    """Beginning with its call number *first* (from 0) of a *kind*, ``sync`` or ``write``, the disk fails so often."""

    kind: str
    first: int
    times: int = 1
    calls: int = 0
    is_over: bool = False

    def strikes(self, kind: str) -> bool:
        if kind != self.kind or self.is_over:
            return False
        self.calls += 1
        return 0 <= self.calls - 1 - self.first < self.times


@dataclass
class Failing:
    """What was done to a disk that failed, and what was told when it was opened and after each press."""

    disk: Disk
    told: list[Presses] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def check(self, root: Path, confirmed: int) -> None:
        """Check that what was told last is there, all of it, and nothing else but the press that was under way."""
        check_backups(root)
        with closing(LedgerFile(book_in(root))) as ledger:
            assert ledger.verify() == []
            possible = [self.told[confirmed], self.told[confirmed] | {f"press {confirmed}"}]
            assert presses_in(ledger) in possible, "not what was told"
        assert not list(root.rglob("*.damaged-?")), "taken for damaged"


def fail(root: Path, fault: Fault) -> Failing:
    """Press `PRESSES` times below *root*, with a backup in between, while *fault* is at work.

    It is over when there is no ledger for it.
    """
    play(root, begin())
    with recorded(root, OFTEN) as disk:
        disk.fails = fault.strikes
        failing = Failing(disk)
        run(lambda: _press(book_in(root), failing, fault))
    return failing


async def _press(book: Path, failing: Failing, fault: Fault) -> None:
    books = LedgerThread(partial(LedgerFile, book))
    failing.told.append(await books.ask(presses_in))
    fault.calls = 0
    for number in range(PRESSES):
        try:
            await books.ask(partial(_pay, number=number))
            words = "saved"
        except Rejection:
            words = "not saved"
        except ReboardError:
            words = "no ledger"
            fault.is_over = True
        if number == 1:
            books.back_up()
        failing.told.append(await books.ask(presses_in))
        there = f"press {number}" in failing.told[-1]
        failing.words.append(f"{words}, and {'there' if there else 'not there'}")
        failing.disk.add(Confirmed())
    fault.is_over = True
    await books.close()


def _pay(ledger: Ledger, number: int) -> Transfer:
    return pay(ledger, 1, BANK, 1, number + 1, reason="rent " * 40, press=f"press {number}", at=1.0)


def presses_in(ledger: Ledger) -> Presses:
    """The presses that *ledger* has booked."""
    return frozenset(
        press for (press,) in ledger.connection.execute("SELECT press FROM transfer WHERE reason <> 'start'")
    )


def faults(kind: str, times: int, root: Callable[[], Path]) -> Iterator[Failing]:
    """The disk fails at every call of *kind* there is, one run for each."""
    for first in count():
        fault = Fault(kind, first, times)
        failing = fail(root(), fault)
        if fault.calls <= first:
            return
        yield failing
