"""An evening at the ledger, step by step, and what must be left of it after a power cut."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.accessories.banker_unit.game_settings import NOT_ENDED, EndedGame, forget_names, save_ended, save_name
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.schema import Move
from reboard.accessories.banker_unit.verify import damage_of
from reboard.errors import Rejection
from tests.reboard.accessories.banker_unit.ledger_calls import back_up, pay
from tests.reboard.accessories.banker_unit.power_cuts.connection import AS_SHIPPED, Instead
from tests.reboard.accessories.banker_unit.power_cuts.disk import Confirmed, Disk
from tests.reboard.accessories.banker_unit.power_cuts.recording import recorded

Contents = Mapping[str, Sequence[tuple[Any, ...]]]


class Step(NamedTuple):
    """One thing done at the ledger; when it returns, it is confirmed. *again*: doing it twice does it once."""

    do: Callable[[Ledger], object]
    again: bool = True


class Evening(NamedTuple):
    """What was done to a disk, and what the ledger held when it was opened and after each confirmed step."""

    steps: Sequence[Step]
    disk: Disk
    held: Sequence[Contents]

    @property
    def confirmed_at(self) -> list[int]:
        """After how many events each step was confirmed."""
        return [after for after, event in enumerate(self.disk.log, 1) if isinstance(event, Confirmed)]


def transfers(number: int, *, first: int = 0) -> list[Step]:
    """So many presses: mostly payments, here and there one that is taken back or refused."""

    def press(n: int) -> Callable[[Ledger], object]:
        rng = random.Random(n)
        from_, to = rng.sample(range(4), 2)
        amount, reason = rng.randint(1, 500), "rent and what goes with it " * rng.randint(1, 8)

        def paid(ledger: Ledger) -> None:
            pay(ledger, 1, from_, to, amount, reason=reason, press=f"pay {n}", at=float(n))

        def take_back(ledger: Ledger) -> None:
            (last,) = ledger.transfers(1, 1)
            ledger.undo(last.undoes or last.id, press=f"undo {n}", at=float(n))

        def overdraw(ledger: Ledger) -> None:
            with pytest.raises(Rejection):
                pay(ledger, 1, 1, 2, 10**6, reason="too much", press=f"overdraw {n}", at=float(n))

        return (take_back if n % 7 == 3 else overdraw) if n % 7 in (3, 5) else paid

    return [Step(press(n)) for n in range(first, first + number)]


def begin() -> list[Step]:
    """A new game, and a new card that joins it later: its number and its start are one transaction."""
    return [
        Step(lambda ledger: ledger.new_game("nintendo", 15_000, at=1.0, cards=(1, 2)), again=False),
        Step(lambda ledger: ledger.admit(1, "AA", known=("C1", "C2"), most=8, press="admit", at=1.0)),
    ]


def the_rest() -> list[Step]:
    """Whatever else is written: names, bankruptcies, leavings, lost cards, acts, the ends of games, other games."""
    return [
        Step(lambda ledger: save_name(ledger, 3, "Cem")),
        Step(lambda ledger: forget_names(ledger, [3, 1])),
        Step(lambda ledger: ledger.bankrupt(1, 3, 1, press="bankrupt", at=7.0)),
        Step(lambda ledger: ledger.undo(ledger.transfers(1, 1)[0].id, press="back again", at=8.0), again=False),
        Step(lambda ledger: ledger.pay_all(1, [Move(3, 1, 7, "each"), Move(3, 2, 7, "each")], press="each", at=8.0)),
        Step(lambda ledger: ledger.undo(ledger.transfers(1, 1)[0].id, press="no each", at=8.0), again=False),
        Step(lambda ledger: ledger.leave(1, 2, press="leave", at=8.0)),
        Step(lambda ledger: ledger.admit(1, "C2", known=("C1", "C2"), most=8, press="return", at=8.0)),
        Step(lambda ledger: ledger.replace(1, 2, "BB", known=("C1", "C2"), gives_up=None, press="replace", at=8.0)),
        Step(lambda ledger: ledger.free(1, 2, known=("C1", "C2"), press="free", at=8.0)),
        Step(lambda ledger: ledger.admit(1, "BB", known=("C1", "C2"), most=8, press="new", at=8.0)),
        Step(lambda ledger: save_ended(ledger, EndedGame(1, ledger.last_transfer(), ledger.balances(1)))),
        Step(lambda ledger: ledger.new_game("world", 15_000_000, at=9.0), again=False),
        Step(lambda ledger: ledger.resume(1, at=10.0, settings=NOT_ENDED), again=False),
    ]


def play(root: Path, steps: Sequence[Step], *, instead: Instead = AS_SHIPPED) -> Evening:
    """Do *steps* at a ledger on a recorded disk below *root*; set otherwise where *instead* says so.

    Backups are made as the bookkeeper makes them, after what was done was confirmed.
    """
    with recorded(root, instead) as disk, closing(LedgerFile(book_in(root))) as ledger:
        for pragma, value in instead.pragmas.items():
            ((really,),) = ledger.connection.execute(f"PRAGMA {pragma}").fetchall()
            assert str(really).upper() == str(value), f"{pragma} is {really}"
        held = [contents(ledger)]
        for step in steps:
            step.do(ledger)
            disk.add(Confirmed())
            held.append(contents(ledger))
            assert ledger.verify() == []
            if ledger.backup_is_due:
                back_up(ledger)
    return Evening(steps, disk, held)


def book_in(root: Path) -> Path:
    """Where the ledger is below *root*: in a directory that the first start makes."""
    return root / "state" / LEDGER_FILE


def contents(ledger: Ledger) -> Contents:
    """Every row of every table."""
    ask = ledger.connection.execute

    def rows(query: str) -> list[tuple[Any, ...]]:
        return sorted(ask(query).fetchall(), key=repr)

    tables = rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    held = {name: rows(f'SELECT * FROM "{name}"') for (name,) in tables}
    return held | {"schema": rows("SELECT sql FROM sqlite_schema")}


def whole(evening: Evening) -> Callable[[Path, int], None]:
    """The check that all that was confirmed is there, nothing is half there, and the evening goes on.

    Each backup is whole. Files are kept aside as damaged only as they were when nothing happened.
    """
    aside = kept_aside(evening.disk.root)

    def check(root: Path, confirmed: int) -> None:
        check_backups(root)
        with closing(LedgerFile(book_in(root))) as ledger:
            now = contents(ledger)
            possible = evening.held[confirmed : confirmed + 2]
            assert now in possible, f"{now} instead of {possible[0]}"
            done = confirmed + possible.index(now)
            assert ledger.verify() == []
            if done > confirmed and evening.steps[confirmed].again:
                evening.steps[confirmed].do(ledger)
                assert contents(ledger) == now, "what was under way was done twice"
            if done < len(evening.steps):
                evening.steps[done].do(ledger)
                assert contents(ledger) == evening.held[done + 1], "the evening goes on otherwise"
        assert kept_aside(root) == aside, f"{len(kept_aside(root))} files were kept aside, not {len(aside)}"

    return check


def check_backups(root: Path) -> None:
    for backup in root.rglob("*.backup-[0-9]*"):
        with closing(sqlite3.connect(backup)) as connection:
            assert damage_of(backup, connection) is None, f"{backup.name} is not whole"


def kept_aside(root: Path) -> list[bytes]:
    """The damaged books below *root*."""
    return [path.read_bytes() for path in sorted(root.rglob("*.damaged-?"))]
