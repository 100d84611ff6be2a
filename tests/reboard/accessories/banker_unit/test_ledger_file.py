"""The file of the ledger: locked, versioned and durable."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from reboard.accessories.banker_unit import schema
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.board import open_database
from reboard.errors import ReboardError


def filled(path: Path, transfers: int = 200) -> dict[int, int]:
    """A ledger with two games, the second with so many transfers; its balances."""
    with closing(LedgerFile(path)) as ledger:
        first = ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2)).id
        ledger.admit(first, "AA", known=(), most=6, at=1.0)
        game = ledger.new_game("world", 15_000_000, at=2.0, cards=(1, 2, 3)).id
        rng = random.Random(transfers)
        for number in range(transfers):
            from_, to = rng.sample(range(4), 2)
            ledger.pay(game, from_, to, 1000 * rng.randint(1, 5), reason="players", press=f"p{number}", at=3.0)
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
    balances = filled(ledger_file, 5)
    with closing(LedgerFile(ledger_file, read_only=True, database=somebody_else)) as ledger:
        assert ledger.balances(2) == balances
    assert sorted(file.name for file in ledger_file.parent.iterdir()) == ["ledger.sqlite3", "ledger.sqlite3.lock"]


def test_another_user_cannot_read_a_ledger_with_a_log(tmp_path: Path, ledger_file: Path) -> None:
    power_cut_copy(tmp_path / "running.sqlite3", ledger_file)
    with pytest.raises(ReboardError, match=r"only its owner can read .* \(sudo -u reboard"):
        LedgerFile(ledger_file, read_only=True, database=somebody_else)


def test_a_ledger_that_is_not_there_is_not_made_by_looking(ledger_file: Path) -> None:
    with pytest.raises(ReboardError, match="there is no ledger yet"):
        LedgerFile(ledger_file, read_only=True)
    assert not list(ledger_file.parent.iterdir())


def test_a_newer_ledger_is_left_alone_and_said_to_be_newer(ledger_file: Path) -> None:
    filled(ledger_file, 1)
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


def test_an_older_ledger_is_brought_up_to_date_and_only_by_a_writer(
    ledger_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    balances = filled(ledger_file, 5)
    newer = (*schema.MIGRATIONS, "CREATE TABLE note (text TEXT) STRICT;", "ALTER TABLE note ADD COLUMN at REAL;")
    monkeypatch.setattr(schema, "MIGRATIONS", newer)
    with pytest.raises(ReboardError, match="older reboard"):
        LedgerFile(ledger_file, read_only=True)
    with closing(LedgerFile(ledger_file)) as ledger:
        assert schema.version_of(ledger.connection) == len(newer)
        ledger.connection.execute("INSERT INTO note (text, at) VALUES ('x', 1.0)")
        assert ledger.balances(2) == balances


def test_a_migration_that_fails_halfway_changes_nothing(ledger_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    balances = filled(ledger_file, 5)
    released = schema.MIGRATIONS
    monkeypatch.setattr(schema, "MIGRATIONS", (*released, "CREATE TABLE note (text); CREATE TABLE note (text);"))
    with pytest.raises(ReboardError, match="already exists"):
        LedgerFile(ledger_file)
    monkeypatch.setattr(schema, "MIGRATIONS", released)
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.balances(2) == balances


def power_cut_copy(path: Path, copy: Path) -> dict[int, int]:
    """What lies on the disk of a running table, its latest transfers in the write-ahead log only; its balances."""
    balances = filled(path)
    with closing(LedgerFile(path)) as ledger:
        for number in range(5):
            ledger.pay(2, 0, 1, 1000, reason="received", press=f"late-{number}", at=4.0)
        for suffix in ("", "-wal"):
            copy.with_name(copy.name + suffix).write_bytes(path.with_name(path.name + suffix).read_bytes())
    return balances | {1: balances[1] + 5000}


WRITER = """
import sys
from reboard.accessories.banker_unit.database import LedgerFile

ledger = LedgerFile(sys.argv[1])
game = ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2)).id
number = 0
while True:
    number += 1
    transfer = ledger.pay(game, *((1, 2) if number % 2 else (2, 1)), 100, reason="x", press=str(number), at=1.0)
    print(transfer.id, flush=True)
"""


@pytest.mark.realtime
def test_confirmed_transfers_survive_a_killed_process(ledger_file: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(ledger_file)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(50):
            confirmed = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        confirmed = max([confirmed, *map(int, writer.stdout.read().split(b"\n")[:-1])])
    with closing(LedgerFile(ledger_file)) as ledger:
        assert confirmed >= 52
        assert ledger.transfer(confirmed).amount == 100
        assert ledger.verify() == []


def test_the_log_of_a_ledger_that_was_removed_is_kept(ledger_file: Path) -> None:
    copy = ledger_file.with_name("copy-wal")
    with closing(LedgerFile(ledger_file)) as ledger:
        ledger.new_game("world", 1000, at=1.0)
        copy.write_bytes(ledger_file.with_name(f"{ledger_file.name}-wal").read_bytes())
    ledger_file.unlink()
    log = copy.rename(ledger_file.with_name(f"{ledger_file.name}-wal")).read_bytes()
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.mended
        assert ledger_file.with_name(f"{ledger_file.name}.damaged-1-wal").read_bytes() == log
