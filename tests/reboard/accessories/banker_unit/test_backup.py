"""Backups, and the repair of a damaged ledger."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reboard.accessories.banker_unit import backup as backup_module
from reboard.accessories.banker_unit import ledger_thread, schema
from reboard.accessories.banker_unit.accounts import BANK
from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.ledger_errors import NoLedgerError
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.board import OpenDatabase, open_database
from reboard.errors import ReboardError
from reboard_sim.board.disk import failure
from reboard_sim.virtual_time import run
from tests.reboard.accessories.banker_unit.fakes import AtTheTable, at_table
from tests.reboard.accessories.banker_unit.ledger_calls import PAGE, START, back_up, damage_page, pay, refused
from tests.reboard.accessories.banker_unit.power_cuts.evening import contents
from tests.waiting import PATIENCE_S

HEADER = 100


def a_game(ledger: Ledger) -> None:
    """Four transfers: three starts, and all that card 3 has; then it goes bankrupt with nothing."""
    game = ledger.new_game("nintendo", START, at=1.0, cards=(1, 2, 3), largest=99_999).id
    pay(ledger, game, 3, 1, START)
    ledger.bankrupt(game, 3, BANK, press=f"with nothing {game}", at=2.0)


def a_salary(ledger: Ledger) -> None:
    pay(ledger, 1, BANK, 1, 1, press=f"salary {ledger.last_transfer()}")


def ask(file: Path, *calls: Callable[[Ledger], object], database: OpenDatabase = open_database) -> None:
    async def main() -> None:
        books = LedgerThread(partial(LedgerFile, file, database=database))
        for call in calls:
            await books.ask(call)
            await asyncio.sleep(1)  # as at a table, where a backup is made by then
        await books.close()

    run(main)


def backups(file: Path) -> dict[int, int]:
    """The last transfer in each backup, by the backup's number."""
    found = {}
    for path in sorted(file.parent.glob(f"{file.name}.backup-*[0-9]")):
        with closing(sqlite3.connect(path)) as connection:
            ((last,),) = connection.execute("SELECT coalesce(max(id), 0) FROM transfer").fetchall()
        found[int(path.suffix.removeprefix(".backup-"))] = last
    return found


def backup(file: Path, number: int) -> Path:
    return file.with_name(f"{file.name}.backup-{number}")


def last_transfer(file: Path) -> int:
    with closing(LedgerFile(file)) as ledger:
        assert ledger.verify() == []
        return ledger.last_transfer()


def test_each_new_game_and_every_tenth_transfer_are_backed_up_and_three_backups_are_kept(ledger_file: Path) -> None:
    ask(ledger_file, a_game, *[a_salary] * 5)
    assert backups(ledger_file) == {1: 4}
    # a restart begins no new count
    ask(ledger_file, *[a_salary] * 4)
    assert backups(ledger_file) == {1: 4}
    ask(ledger_file, a_salary)
    assert backups(ledger_file) == {1: 4, 2: 14}
    ask(ledger_file, *[a_salary] * 19, a_game)
    assert backups(ledger_file) == {2: 14, 3: 24, 4: 37}


def make_directory(file: Path) -> None:
    (file / "of a user").mkdir(parents=True)


def make_broken_link(file: Path) -> None:
    file.symlink_to("nowhere")


def make_link(file: Path) -> None:
    file.symlink_to(backup(file.with_suffix(""), 3).name)


@pytest.mark.parametrize("name", ["ledger.db.backup-1", "ledger.db.backup-draft"])
@pytest.mark.parametrize("spoil", [make_directory, make_broken_link, make_link, os.mkfifo])
def test_a_backup_that_is_no_file_is_replaced_by_a_new_one(
    ledger_file: Path, name: str, spoil: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    ask(ledger_file, a_game, *[a_salary] * 20)
    ledger_file.with_name(name).unlink(missing_ok=True)
    spoil(ledger_file.with_name(name))
    ask(ledger_file, *[a_salary] * 20)
    assert caplog.messages == []
    assert last_transfer(backup(ledger_file, 3)) == 24
    ledger_file.unlink()
    assert last_transfer(ledger_file) == 44


def test_a_new_backup_that_is_damaged_while_it_is_written_stops_no_payment(
    ledger_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def database(uri: str) -> sqlite3.Connection:
        if "backup-draft?mode=rwc" in uri:
            ledger_file.with_name(f"{ledger_file.name}.backup-draft").write_bytes(b"this is no database" * 400)
        return open_database(uri)

    ask(ledger_file, a_game, *[a_salary] * 2, database=database)
    assert last_transfer(ledger_file) == 6
    assert "no backup could be made" in caplog.text


@at_table()
async def test_a_unit_that_falls_asleep_after_play_makes_a_backup(table: AtTheTable, tmp_path: Path) -> None:
    ledger_file = tmp_path / LEDGER_FILE
    await table.do("insert left 1; key GO")
    before = backups(ledger_file)
    await table.do("wait 61")
    (new,) = backups(ledger_file).keys() - before.keys()
    assert backups(ledger_file)[new] == max(before.values()) + 2
    await table.do("key .; wait 61")
    assert max(backups(ledger_file)) == new, "nothing has changed"


def run_sql(sql: str) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(sql)

    return damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "a page": damage_page,
    "not a database": lambda file: file.write_bytes(b"this is no database at all" * 400),
    "zeros": lambda file: file.write_bytes(bytes(3 * PAGE)),
    "zero length": lambda file: file.write_bytes(b""),
    "a balance": run_sql("UPDATE account SET balance = balance + 5 WHERE card = 0"),
    "a rule": run_sql("DROP TRIGGER account_has_funds"),
    "an index": run_sql("DROP INDEX transfer_of_start"),
    "a changed view": run_sql("DROP VIEW bankruptcy; CREATE VIEW bankruptcy AS SELECT 1 AS id"),
    "an older version": run_sql("PRAGMA user_version = 1"),
    "no version": run_sql("PRAGMA user_version = 0"),
    "a version below zero": run_sql("PRAGMA user_version = -2"),
    "a version to come": run_sql("PRAGMA user_version = 66"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_ledger_is_set_aside_and_the_newest_backup_restored(
    ledger_file: Path, damage: Callable[[Path], object], caplog: pytest.LogCaptureFixture
) -> None:
    ask(ledger_file, a_game, *[a_salary] * 19)
    damage(ledger_file)
    damaged = ledger_file.read_bytes()
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.mended
        assert not ledger.mended.is_new
        assert ledger.last_transfer() == 14
    assert ledger_file.with_name("ledger.db.damaged-1").read_bytes() == damaged
    assert "ledger.db.damaged-1" in caplog.text
    assert "ledger.db.backup-2" in caplog.text
    ask(ledger_file, *[a_salary] * 10)
    assert backups(ledger_file) == {1: 4, 2: 14, 3: 24}
    assert last_transfer(ledger_file) == 24


@pytest.mark.parametrize(
    "spoil", [DAMAGES["a page"], DAMAGES["zero length"], DAMAGES["not a database"], DAMAGES["a balance"]]
)
def test_a_damaged_backup_is_skipped_and_without_any_the_ledger_is_new(
    ledger_file: Path, spoil: Callable[[Path], object]
) -> None:
    ask(ledger_file, a_game, *[a_salary] * 19)
    damage_page(ledger_file)
    damaged = ledger_file.read_bytes()
    spoil(backup(ledger_file, 2))
    assert last_transfer(ledger_file) == 4
    ledger_file.write_bytes(damaged)
    spoil(backup(ledger_file, 1))
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.games() == []
        assert ledger.mended
        assert ledger.mended.is_new
    assert ledger_file.with_name(f"{ledger_file.name}.damaged-2").read_bytes() == damaged
    ask(ledger_file, a_game)
    assert last_transfer(ledger_file) == 4


def in_the_header(_: bytes) -> Iterable[int]:
    return (8 * byte + byte % 8 for byte in range(HEADER))


def in_the_rules(file: bytes) -> Iterable[int]:
    rng = random.Random(1)
    pages = [place for place in range(PAGE, len(file), PAGE) if b"CREATE TRIGGER" in file[place : place + PAGE]]
    written = [byte for place in pages for byte in range(place, place + PAGE) if file[byte]]
    return (8 * byte + rng.randrange(8) for byte in rng.sample(written, 50))


@pytest.mark.parametrize("where", [in_the_header, in_the_rules])
def test_whichever_bit_is_wrong_the_bank_has_its_money_and_its_rules(
    tmp_path: Path, ledger_file: Path, where: Callable[[bytes], Iterable[int]]
) -> None:
    ask(ledger_file, a_game)
    sound = ledger_file.read_bytes()
    for bit in where(sound):
        file = tmp_path / str(bit) / "ledger.db"
        file.parent.mkdir()
        backup(file, 1).write_bytes(backup(ledger_file, 1).read_bytes())
        harmed = bytearray(sound)
        harmed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(harmed)
        with closing(LedgerFile(file)) as ledger:
            about = f"byte {bit // 8}, bit {bit % 8}"
            assert ledger.balances(1) == {1: 2 * START, 2: START, 3: 0}, about
            assert ledger.retired(1) == {3}, about
            assert refused(partial(pay, ledger, 1, 1, 2, 2 * START + 1)) == "no funds", about
            paid = pay(ledger, 1, BANK, 2, 100)
            assert ledger.undo(paid.id, press="taken back", at=3.0)[0].undoes == paid.id, about
            assert ledger.verify() == [], about


def test_bytes_that_change_while_the_table_is_on_reach_no_backup(ledger_file: Path) -> None:
    def an_old_transfer(ledger: Ledger) -> None:
        pay(ledger, 1, BANK, 2, 0x1234, press="old")

    def harm_it(_: Ledger) -> None:
        content = ledger_file.read_bytes()
        assert content.count(b"\x12\x34test") == 1
        ledger_file.write_bytes(content.replace(b"\x12\x34test", b"\x12\x35test"))

    ask(ledger_file, a_game, an_old_transfer, *[a_salary] * 10)
    with pytest.raises(ReboardError, match="damaged"):
        ask(ledger_file, harm_it, *[a_salary] * 20)
    assert backups(ledger_file) == {1: 4, 2: 14}
    assert last_transfer(ledger_file) == 14


@pytest.mark.parametrize("table", ["deck", "sitting"])
def test_a_page_that_is_damaged_while_the_table_is_on_is_damage(ledger_file: Path, table: str) -> None:
    def harm_it(ledger: Ledger) -> None:
        ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        ((page,),) = ledger.connection.execute(query, (table,)).fetchall()
        with ledger_file.open("r+b") as file:
            file.seek((page - 1) * PAGE)
            file.write(b"\xff" * PAGE)

    ask(ledger_file, a_game, *[a_salary] * 30)
    with pytest.raises(ReboardError, match="damaged"):
        ask(ledger_file, harm_it, *[a_salary] * 11)
    assert last_transfer(ledger_file) == 34


def harm_a_word(file: Path) -> None:
    content = file.read_bytes()
    with file.open("r+b") as writing:
        writing.write(content.replace(b"CREATE TABLE", b"CREATE TABL\xb6", 1))


def test_a_word_that_is_damaged_while_the_table_is_on_is_damage(ledger_file: Path) -> None:
    def harm_it(ledger: Ledger) -> None:
        ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        harm_a_word(ledger_file)

    ask(ledger_file, a_game, *[a_salary] * 30)
    with pytest.raises(ReboardError, match="damaged"):
        ask(ledger_file, harm_it, *[a_salary] * 11)
    assert last_transfer(ledger_file) == 34


def test_a_damaged_word_in_a_backup_leaves_the_ledger_in_use(ledger_file: Path) -> None:
    ask(ledger_file, a_game, *[a_salary] * 24)
    harm_a_word(backup(ledger_file, 3))
    assert last_transfer(ledger_file) == 28
    ledger_file.unlink()
    assert last_transfer(ledger_file) == 14


def test_a_balance_of_an_old_game_that_changes_by_itself_reaches_no_backup(ledger_file: Path) -> None:
    harm_it = run_sql("UPDATE account SET balance = balance + 5 WHERE game = 1 AND card = 0")

    def a_later_salary(ledger: Ledger) -> None:
        pay(ledger, 2, BANK, 1, 1, press=f"salary {ledger.last_transfer()}")

    ask(ledger_file, a_game, *[a_salary] * 30, a_game)
    with pytest.raises(ReboardError, match="damaged: game 1"):
        ask(ledger_file, lambda _: harm_it(ledger_file), *[a_later_salary] * 11)
    assert last_transfer(ledger_file) == 38


def test_a_backup_is_restored_by_the_next_version_even_if_that_only_changes_a_rule(
    ledger_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(ledger_file, a_game, *[a_salary] * 10)
    damage_page(ledger_file)
    rule = "pot_never_retires"
    changed = f"""
    DROP TRIGGER {rule};
    CREATE TRIGGER {rule} BEFORE UPDATE OF retired ON account WHEN NEW.card = 9 BEGIN SELECT RAISE(ABORT, 'no'); END;
    """
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, changed))
    assert last_transfer(ledger_file) == 14


def test_a_backup_is_the_ledger_by_rows(ledger_file: Path) -> None:
    def everything_else(ledger: Ledger) -> None:
        ledger.set_setting("volume", "3")
        ledger.replace(1, 2, "BB", known=("C1", "C2"), gives_up=None, press="replace", at=3.0)
        ledger.leave(1, 2, press="leave", at=3.0)
        ledger.resume(1, at=4.0)

    steps: list[Callable[[Ledger], object]] = [a_game, *[a_salary] * 40, everything_else, a_game, *[a_salary] * 3]
    steps.insert(-3, lambda ledger: ledger.resume(1, at=5.0))
    ask(ledger_file, *steps)
    with closing(LedgerFile(ledger_file)) as ledger:
        back_up(ledger)
        held = {**contents(ledger), "schema": []}
    newest = backup(ledger_file, max(backups(ledger_file))).rename(ledger_file)
    for file in set(ledger_file.parent.glob("ledger.db*")) - {newest}:
        file.unlink()
    # by hand: the rules come back with the first opening
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.mended is None
        assert {**contents(ledger), "schema": []} == held
        assert ledger.verify() == []
        assert refused(partial(pay, ledger, 1, 1, BANK, 10**9)) == "no funds"
    assert not list(ledger_file.parent.glob("*.damaged-*"))


def test_a_backup_with_other_transfers_is_copied_anew(ledger_file: Path, tmp_path: Path) -> None:
    def the_kept_row(file: Path) -> int:
        with closing(sqlite3.connect(file)) as connection:
            return int(connection.execute("SELECT amount FROM transfer WHERE id = 5").fetchone()[0])

    ask(ledger_file, a_game, *[a_salary] * 30)
    (oldest, *_) = sorted(backups(ledger_file))
    run_sql("UPDATE transfer SET amount = 77 WHERE id = 5")(backup(ledger_file, oldest))
    ask(ledger_file, *[a_salary] * 40)
    assert {the_kept_row(backup(ledger_file, number)) for number in backups(ledger_file)} == {1}


def test_a_backup_writes_only_what_is_new(ledger_file: Path) -> None:
    def many(ledger: Ledger) -> None:
        with ledger.transaction() as connection:
            for number in range(5000):
                row = (1, BANK, 1, 1, "test", 2.0, f"many {number}")
                connection.execute(
                    'INSERT INTO transfer (game, "from", "to", amount, reason, at, press) VALUES (?, ?, ?, ?, ?, ?, ?)',
                    row,
                )

    ask(ledger_file, a_game, many, *[a_salary] * 40)
    before = {number: backup(ledger_file, number).read_bytes() for number in backups(ledger_file)}
    ask(ledger_file, *[a_salary] * 10)
    newest, oldest = max(backups(ledger_file)), min(before)
    now = backup(ledger_file, newest).read_bytes()
    places = range(0, len(now), PAGE)
    changed = [place for place in places if now[place : place + PAGE] != before[oldest][place : place + PAGE]]
    assert len(places) > 50
    assert len(changed) < 6


def waiting_for(may_copy: threading.Event) -> OpenDatabase:
    def opened(uri: str) -> sqlite3.Connection:
        if ".backup-" in uri and "mode=ro" not in uri:
            assert may_copy.wait(PATIENCE_S)
        return open_database(uri)

    return opened


def test_a_backup_that_is_wanted_during_another_is_made_after_it(ledger_file: Path) -> None:
    may_copy = threading.Event()

    async def main() -> None:
        books = LedgerThread(partial(LedgerFile, ledger_file, database=waiting_for(may_copy)))
        await books.ask(a_game)
        await books.ask(a_salary)
        books.back_up()
        may_copy.set()
        await books.close()

    asyncio.run(main())
    assert backups(ledger_file)[2] == 5


def test_a_payment_does_not_wait_for_a_backup(ledger_file: Path) -> None:
    may_copy = threading.Event()

    async def main() -> None:
        books = LedgerThread(partial(LedgerFile, ledger_file, database=waiting_for(may_copy)))
        await books.ask(a_game)
        for _ in range(25):
            await books.ask(a_salary)
        assert backups(ledger_file) == {}, "the first one still waits"
        may_copy.set()
        await books.close()

    asyncio.run(main())
    assert max(backups(ledger_file).values()) == 29, "closing makes the one that was due meanwhile"


def test_closing_the_ledger_makes_the_backup_of_waiting_payments(ledger_file: Path) -> None:
    async def main() -> None:
        books = LedgerThread(partial(LedgerFile, ledger_file))
        await books.ask(a_game)
        await asyncio.sleep(1)
        waiting = [asyncio.create_task(books.ask(a_salary)) for _ in range(10)]
        await asyncio.sleep(0)
        await books.close()
        await asyncio.gather(*waiting)

    run(main)
    assert backups(ledger_file) == {1: 4, 2: 14}


class _WithoutLog(sqlite3.Connection):
    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        return super().execute(sql.replace("journal_mode = WAL", "journal_mode = DELETE"), values)


def test_where_a_log_is_impossible_there_are_backups_too(ledger_file: Path) -> None:
    def without_log(uri: str) -> sqlite3.Connection:
        return sqlite3.connect(uri, uri=True, isolation_level=None, factory=_WithoutLog)

    ask(ledger_file, a_game, *[a_salary] * 40, database=without_log)
    assert backups(ledger_file) == {3: 24, 4: 34, 5: 44}
    damage_page(ledger_file)
    assert last_transfer(ledger_file) == 44


def test_a_file_in_the_ledgers_place_gets_into_no_backup(ledger_file: Path) -> None:
    def replace(_: Ledger) -> None:
        other = ledger_file.with_name("other.db")
        with closing(LedgerFile(other)) as another:
            a_game(another)
            another.set_setting("volume", "3")
        other.rename(ledger_file)

    async def main() -> None:
        books = LedgerThread(partial(LedgerFile, ledger_file))
        for call in (a_game, a_salary):
            await books.ask(call)
        await asyncio.sleep(1)  # for the backup of the new game
        await books.ask(replace)
        books.back_up()
        await asyncio.sleep(1)
        await books.close()

    run(main)
    assert last_transfer(ledger_file) == 5
    with closing(sqlite3.connect(backup(ledger_file, 1))) as connection:
        assert not connection.execute("SELECT * FROM setting").fetchall()


def test_a_file_that_replaces_the_ledger_during_a_backup_gets_into_none(ledger_file: Path) -> None:
    other = ledger_file.with_name("other.db")
    with closing(LedgerFile(ledger_file)) as ledger, closing(LedgerFile(other)) as another:
        a_game(ledger)
        a_game(another)
        make = ledger.start_backup()
        assert make
        other.rename(ledger_file)
        make()
        assert not backups(ledger_file)


def test_closing_the_ledger_ends_a_long_backup(ledger_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        books = LedgerThread(partial(LedgerFile, ledger_file))
        for _ in range(10):
            await books.ask(a_salary)
        await asyncio.wait_for(books.close(), PATIENCE_S)

    ask(ledger_file, a_game, *[a_salary] * 30)
    endless = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT count(*) FROM n"
    monkeypatch.setattr(backup_module, "OTHER_TRANSFERS", endless)
    monkeypatch.setattr(ledger_thread, "LONGEST_BACKUP_S", 0.1)
    before = backups(ledger_file)
    asyncio.run(main())
    assert backups(ledger_file) == before
    assert last_transfer(ledger_file) == 44


def test_a_missing_ledger_is_restored_and_its_log_kept(ledger_file: Path) -> None:
    ask(ledger_file, a_game, *[a_salary] * 5)
    ledger_file.unlink()
    log = ledger_file.with_name("ledger.db-wal")
    log.write_bytes(b"first")
    assert last_transfer(ledger_file) == 4
    ledger_file.unlink()
    log.write_bytes(b"second")
    assert last_transfer(ledger_file) == 4
    kept = {file.name: file.read_bytes() for file in ledger_file.parent.glob("*-wal")}
    assert kept == {"ledger.db.damaged-1-wal": b"first", "ledger.db.damaged-2-wal": b"second"}


def test_a_ledger_without_its_log_is_restored_from_the_backup_that_has_more(ledger_file: Path) -> None:
    ask(ledger_file, a_game)
    old = ledger_file.read_bytes()
    ask(ledger_file, *[a_salary] * 20)
    ledger_file.write_bytes(old)
    assert last_transfer(ledger_file) == 24
    assert ledger_file.with_name("ledger.db.damaged-1").read_bytes() == old


def test_a_ledger_that_breaks_a_rule_stays_in_use_if_no_backup_keeps_it(ledger_file: Path) -> None:
    ask(ledger_file, a_game, *[a_salary] * 5)
    DAMAGES["a balance"](ledger_file)
    for spoiled in list(backups(ledger_file)):
        DAMAGES["a balance"](backup(ledger_file, spoiled))
    ask(ledger_file, *[a_salary] * 11)
    assert max(backups(ledger_file).values()) >= 14
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.mended
        assert "stays in use" in ledger.mended.sentence
        assert ledger.last_transfer() == 20


def test_a_backup_that_cannot_be_read_now_is_waited_for(ledger_file: Path) -> None:
    def unreadable(uri: str) -> sqlite3.Connection:
        if "backup-2" in uri:
            raise failure(sqlite3.SQLITE_IOERR_READ, "disk I/O error")
        return open_database(uri)

    ask(ledger_file, a_game, *[a_salary] * 10)
    damage_page(ledger_file)
    with pytest.raises(NoLedgerError, match="the disk is failing"):
        LedgerFile(ledger_file, database=unreadable)
    assert last_transfer(ledger_file) == 14


def test_a_copy_that_a_power_cut_left_beside_a_cut_file_is_the_newest(ledger_file: Path) -> None:
    ask(ledger_file, a_game, *[a_salary] * 5)
    ledger_file.with_name("ledger.db.recovering").write_bytes(ledger_file.read_bytes())
    ledger_file.write_bytes(ledger_file.read_bytes()[:PAGE])
    assert last_transfer(ledger_file) == 9


def test_a_name_that_was_set_before_a_restart_is_backed_up(ledger_file: Path) -> None:
    ask(ledger_file, a_game, lambda ledger: ledger.set_setting("volume", "3"))
    with closing(LedgerFile(ledger_file)) as ledger:
        back_up(ledger)
    damage_page(ledger_file)
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.setting("volume") == "3"


class _UnreadableDisk(sqlite3.Connection):
    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        if "sum(balance)" in sql:
            raise failure(sqlite3.SQLITE_IOERR_READ, "disk I/O error")
        return super().execute(sql, values)


def test_a_disk_that_cannot_be_read_is_no_damage(ledger_file: Path) -> None:
    def unreadable(uri: str) -> sqlite3.Connection:
        return sqlite3.connect(uri, uri=True, isolation_level=None, factory=_UnreadableDisk)

    ask(ledger_file, a_game, *[a_salary] * 5)
    with pytest.raises(NoLedgerError, match="the disk is failing"):
        LedgerFile(ledger_file, database=unreadable)
    assert last_transfer(ledger_file) == 9


def test_an_added_index_is_no_damage(ledger_file: Path) -> None:
    ask(ledger_file, a_game, *[a_salary] * 5)
    run_sql("CREATE INDEX mine ON transfer (at)")(ledger_file)
    assert last_transfer(ledger_file) == 9
    assert not list(ledger_file.parent.glob("*.damaged-1"))


def test_a_migration_is_preceded_by_a_backup_of_the_older_ledger(
    ledger_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(ledger_file, a_game, *[a_salary] * 5, lambda ledger: ledger.name())
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE note (text TEXT) STRICT;"))
    assert last_transfer(ledger_file) == 9
    assert backups(ledger_file) == {1: 4, 2: 9}
    with closing(sqlite3.connect(backup(ledger_file, 2))) as connection:
        assert schema.version_of(connection) == len(schema.MIGRATIONS) - 1
        assert not connection.execute("SELECT value FROM setting WHERE name = 'ledger'").fetchall(), "it has no name"
    damage_page(ledger_file)
    assert last_transfer(ledger_file) == 9, "the backup was migrated in its turn"


def test_a_full_disk_only_skips_the_backup(ledger_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    is_full = True

    def full_disk(uri: str) -> sqlite3.Connection:
        connection = open_database(uri)
        if "backup-draft?" in uri and is_full:
            connection.execute("PRAGMA max_page_count = 2")
        return connection

    def make_room(_: Ledger) -> None:
        nonlocal is_full
        is_full = False

    with caplog.at_level(logging.WARNING):
        ask(ledger_file, a_game, *[a_salary] * 30, make_room, *[a_salary] * 10, database=full_disk)
    (warning,) = caplog.records
    assert "no backup could be made" in warning.getMessage()
    assert backups(ledger_file) == {1: 35}, "the next change makes it"
    assert not list(ledger_file.parent.glob("*-new*"))
    assert last_transfer(ledger_file) == 44


def test_the_ledgers_name_stays_until_a_backup_replaces_it(ledger_file: Path) -> None:
    names: list[str] = []

    def name(ledger: Ledger) -> None:
        names.append(ledger.name())

    ask(ledger_file, a_game, name, *[a_salary] * 12, name)
    ask(ledger_file, name)
    assert len(set(names)) == 1
    damage_page(ledger_file)
    ask(ledger_file, name, name)
    assert last_transfer(ledger_file) == 14
    assert names[-1] == names[-2] != names[0], "transfers 15 and 16 are other transfers now"
