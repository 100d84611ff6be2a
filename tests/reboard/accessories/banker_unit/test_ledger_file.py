"""The file of the ledger: locked, versioned and durable."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reboard.accessories.banker_unit import schema
from reboard.accessories.banker_unit.accounts import BANK
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger_errors import Cause, NoLedgerError, cause_of
from reboard.accessories.banker_unit.log_frames import lost_commits
from reboard.board import open_database
from reboard.errors import ReboardError
from tests.reboard.accessories.banker_unit.ledger_calls import pay


def filled(path: Path) -> dict[int, int]:
    """A ledger with two games, the second with some transfers; its balances."""
    with closing(LedgerFile(path)) as ledger:
        first = ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2)).id
        ledger.admit(first, "AA", known=(), most=6, press="admit", at=1.0)
        game = ledger.new_game("world", 15_000_000, at=2.0, cards=(1, 2, 3)).id
        for number in range(5):
            pay(ledger, game, number % 4, 3 - number % 4, 1000, reason="players", press=f"p{number}", at=3.0)
        return ledger.balances(game)


def test_a_ledger_is_opened_with_durable_settings(ledger_file: Path) -> None:
    with closing(LedgerFile(ledger_file)) as ledger:
        ask = ledger.connection.execute
        assert ask("PRAGMA journal_mode").fetchone() == ("wal",)
        assert ask("PRAGMA synchronous").fetchone() == (2,), "FULL"
        assert ask("PRAGMA foreign_keys").fetchone() == (1,)
        assert ask("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS),)


def test_a_second_table_on_the_same_ledger_names_the_first(ledger_file: Path) -> None:
    with closing(LedgerFile(ledger_file)), pytest.raises(ReboardError, match=rf"another .* \(process {os.getpid()}\)"):
        LedgerFile(ledger_file)
    LedgerFile(ledger_file).close()


def somebody_else(uri: str) -> sqlite3.Connection:
    """Who may read the ledger, but write nothing beside it: what SQLite says to them, whatever user runs this."""
    if "immutable" not in uri:
        error = sqlite3.OperationalError("attempt to write a readonly database")
        error.sqlite_errorcode = sqlite3.SQLITE_READONLY_DIRECTORY
        raise error
    return open_database(uri)


def test_another_user_can_read_a_closed_ledger(ledger_file: Path) -> None:
    balances = filled(ledger_file)
    with closing(LedgerFile(ledger_file, read_only=True, database=somebody_else)) as ledger:
        assert ledger.balances(2) == balances
    assert sorted(file.name for file in ledger_file.parent.iterdir()) == ["ledger.db", "ledger.db.lock"]


def test_another_user_cannot_read_a_ledger_with_a_log(ledger_file: Path) -> None:
    with closing(LedgerFile(ledger_file)) as ledger:
        ledger.new_game("world", 1000, at=1.0)
        with pytest.raises(ReboardError, match=r"only the owner can read .* \(`sudo -u reboard"):
            LedgerFile(ledger_file, read_only=True, database=somebody_else)


def test_a_ledger_that_is_not_there_is_not_made_by_looking(ledger_file: Path) -> None:
    with pytest.raises(ReboardError, match="there is no ledger yet"):
        LedgerFile(ledger_file, read_only=True)
    assert not list(ledger_file.parent.iterdir())


def test_a_newer_ledger_is_left_alone_and_said_to_be_newer(ledger_file: Path) -> None:
    filled(ledger_file)
    with closing(sqlite3.connect(ledger_file)) as connection:
        connection.execute("CREATE TABLE note (text TEXT)")
        connection.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")
    before = ledger_file.read_bytes()
    for read_only in (False, True):
        with pytest.raises(ReboardError, match=r"a newer reboard wrote this ledger .* update reboard"):
            LedgerFile(ledger_file, read_only=read_only)
    assert ledger_file.read_bytes() == before
    assert not list(ledger_file.parent.glob("*.damaged-*"))


def test_another_programs_file_is_left_alone(ledger_file: Path) -> None:
    with closing(sqlite3.connect(ledger_file)) as connection:
        connection.execute("CREATE TABLE recipes (name)")
    before = ledger_file.read_bytes()
    with pytest.raises(ReboardError, match="another program's"):
        LedgerFile(ledger_file)
    assert ledger_file.read_bytes() == before


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_no_file_in_the_ledgers_place_is_not_a_failing_disk(
    ledger_file: Path, read_only: bool, make: Callable[[Path], None]
) -> None:
    make(ledger_file)
    with pytest.raises(NoLedgerError, match="directory") as problem:
        LedgerFile(ledger_file, read_only=read_only)
    assert problem.value.cause is Cause.NO_LEDGER
    assert ledger_file.exists()


def test_a_migration_that_fails_halfway_changes_nothing(ledger_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    balances = filled(ledger_file)
    released = schema.MIGRATIONS
    monkeypatch.setattr(schema, "MIGRATIONS", (*released, "CREATE TABLE note (text); CREATE TABLE note (text);"))
    with pytest.raises(ReboardError, match="already exists"):
        LedgerFile(ledger_file)
    monkeypatch.setattr(schema, "MIGRATIONS", released)
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.balances(2) == balances


def test_the_log_of_a_ledger_that_was_removed_is_kept(ledger_file: Path) -> None:
    wal = ledger_file.with_name("ledger.db-wal")
    with closing(LedgerFile(ledger_file)) as ledger:
        ledger.new_game("world", 1000, at=1.0)
        log = wal.read_bytes()
    ledger_file.unlink()
    wal.write_bytes(log)
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.mended
        assert ledger.mended.is_new
        assert ledger_file.with_name("ledger.db.damaged-1-wal").read_bytes() == log


def test_a_damaged_count_of_free_pages_is_found_before_a_transfer_needs_one(ledger_file: Path) -> None:
    filled(ledger_file)
    with closing(LedgerFile(ledger_file)) as ledger:
        for length in (20_000, 0):
            ledger.set_setting("note", "x" * length)
    content = bytearray(ledger_file.read_bytes())
    assert content[39], "there are free pages"
    content[37] = 0x70
    ledger_file.write_bytes(content)
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.mended
        assert "free pages" in str(ledger.mended)


def test_damage_in_a_log_is_reported_if_it_loses_more_than_the_last_change(ledger_file: Path) -> None:
    wal = ledger_file.with_name("ledger.db-wal")
    LedgerFile(ledger_file).close()
    with closing(LedgerFile(ledger_file)) as ledger:
        game = ledger.new_game("world", 1000, at=1.0, cards=(1, 2)).id
        for number in range(8):
            pay(ledger, game, BANK, 1, 10, reason="salary", press=f"press {number}", at=1.0)
        book, log, paid = ledger_file.read_bytes(), wal.read_bytes(), ledger.last_transfer()
    assert lost_commits(log, 0) == 8, "a game and eight payments, without the last"
    silent, reported = set(), 0
    for place in range(32, len(log), 997):
        ledger_file.write_bytes(book)
        wal.write_bytes(log[:place] + bytes([log[place] ^ 1]) + log[place + 1 :])
        with closing(LedgerFile(ledger_file)) as ledger:
            lost = paid - ledger.last_transfer()
            assert ledger.verify() == []
            if ledger.mended:
                kept = ledger_file.with_name("ledger.db.damaged-1-wal")
                assert len(kept.read_bytes()) == len(log)
                kept.unlink()
                reported += 1
            else:
                silent.add(lost)
    assert silent <= {0, 1}, "the last one may be a transfer that nobody was told of"
    assert reported > 10


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        (sqlite3.SQLITE_FULL, Cause.DISK_FULL),
        (sqlite3.SQLITE_IOERR_SHMSIZE, Cause.DISK_FULL),
        (sqlite3.SQLITE_IOERR_READ, Cause.DISK_FAILS),
        (sqlite3.SQLITE_READONLY_DBMOVED, Cause.DISK_READ_ONLY),
        (sqlite3.SQLITE_MISUSE, Cause.NO_LEDGER),
    ],
)
def test_disk_errors_have_a_cause(code: int, cause: Cause) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    text, found = cause_of(error)
    assert found is cause
    assert "(disk I/O error)" in text
