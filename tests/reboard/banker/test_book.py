"""The file under the ledger: locked, versioned, durable, and mended when it is damaged."""

from __future__ import annotations

import logging
import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from reboard.banker import schema
from reboard.banker.deck import Deck
from reboard.banker.ledger import Ledger
from reboard.database import open_database
from reboard.errors import ReboardError

PAGE = 4096

LONG_REASON = "for a street of houses and what goes with it, " * 5
"""So long that some fifteen transfers fill a page."""


def filled(path: Path, transfers: int = 200) -> dict[int, int]:
    """A ledger with two games, the second with so many transfers; its balances."""
    with closing(Ledger(path)) as ledger:
        Deck(ledger.book).number("AA", known=(), players=6)
        ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2))
        game = ledger.new_game("world", 15_000_000, at=2.0, cards=(1, 2, 3)).id
        rng = random.Random(transfers)
        for number in range(transfers):
            from_, to = rng.sample(range(4), 2)
            ledger.pay(game, from_, to, 1000 * rng.randint(1, 5), reason=LONG_REASON, press=f"p{number}", at=3.0)
        return ledger.balances(game)


def pages_of(path: Path, table: str) -> list[int]:
    """The numbers (from 1) of the leaf pages that hold a table's rows."""
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    data = path.read_bytes()
    page = data[(root - 1) * PAGE : root * PAGE]
    if page[0] in (0x0D, 0x0A):
        return [root]
    cells = int.from_bytes(page[3:5], "big")
    places = (int.from_bytes(page[12 + 2 * cell : 14 + 2 * cell], "big") for cell in range(cells))
    return [int.from_bytes(page[place : place + 4], "big") for place in places]


def scribble(path: Path, page: int) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(os.urandom(PAGE))


def test_a_book_is_opened_so_that_a_commit_survives_the_plug(ledger_file: Path) -> None:
    with closing(Ledger(ledger_file)) as ledger:
        ask = ledger.book.connection.execute
        assert ask("PRAGMA journal_mode").fetchone() == ("wal",)
        assert ask("PRAGMA synchronous").fetchone() == (2,), "FULL"
        assert ask("PRAGMA foreign_keys").fetchone() == (1,)
        assert ask("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS),)


def test_a_second_table_on_the_same_ledger_is_told_who_has_it(ledger_file: Path) -> None:
    with closing(Ledger(ledger_file)), pytest.raises(ReboardError, match=rf"another .* \(process {os.getpid()}\)"):
        Ledger(ledger_file)
    Ledger(ledger_file).close()


def test_readers_look_on_while_a_table_writes(ledger_file: Path) -> None:
    with closing(Ledger(ledger_file)) as writer:
        game = writer.new_game("nintendo", 1500, at=1.0, cards=(1,)).id
        with closing(Ledger(ledger_file, read_only=True)) as reader:
            assert reader.balances(game) == {1: 1500}
            writer.join(game, 2, at=2.0)
            assert reader.balances(game) == {1: 1500, 2: 1500}
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader.join(game, 3, at=2.0)


def somebody_else(uri: str) -> sqlite3.Connection:
    """Who may read the ledger, but write nothing beside it: what SQLite says to them, whatever user runs this."""
    if "immutable" not in uri:
        error = sqlite3.OperationalError("attempt to write a readonly database")
        error.sqlite_errorcode = sqlite3.SQLITE_READONLY_DIRECTORY
        raise error
    return open_database(uri)


def test_somebody_else_can_look_into_a_ledger_that_was_put_away(ledger_file: Path) -> None:
    balances = filled(ledger_file, 5)
    with closing(Ledger(ledger_file, read_only=True, database=somebody_else)) as ledger:
        assert ledger.balances(2) == balances
    assert sorted(file.name for file in ledger_file.parent.iterdir()) == ["ledger.sqlite3", "ledger.sqlite3.lock"]


def test_somebody_else_is_told_who_can_read_a_ledger_after_a_power_cut(tmp_path: Path, ledger_file: Path) -> None:
    power_cut_copy(tmp_path / "running.sqlite3", ledger_file)
    with pytest.raises(ReboardError, match=r"only its owner can read .* \(sudo -u reboard"):
        Ledger(ledger_file, read_only=True, database=somebody_else)


def test_a_ledger_that_is_not_there_is_not_made_by_looking(ledger_file: Path) -> None:
    with pytest.raises(ReboardError, match="there is no ledger yet"):
        Ledger(ledger_file, read_only=True)
    assert not list(ledger_file.parent.iterdir())


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ReboardError, match=r"file/ledger\.sqlite3: the ledger cannot be opened: .*File exists"):
        Ledger(tmp_path / "file" / "ledger.sqlite3")


def test_a_newer_ledger_is_left_alone_and_said_to_be_newer(ledger_file: Path) -> None:
    filled(ledger_file, 1)
    with closing(sqlite3.connect(ledger_file)) as connection:
        connection.execute("CREATE TABLE note (text TEXT)")
        connection.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")
    before = ledger_file.read_bytes()
    for read_only in (False, True):
        with pytest.raises(ReboardError, match=r"a newer reboard wrote this ledger .* update reboard"):
            Ledger(ledger_file, read_only=read_only)
    assert ledger_file.read_bytes() == before
    assert not list(ledger_file.parent.glob("*.damaged-*"))


def test_another_programs_file_is_left_alone(ledger_file: Path) -> None:
    with closing(sqlite3.connect(ledger_file)) as connection:
        connection.execute("CREATE TABLE recipes (name)")
    before = ledger_file.read_bytes()
    with pytest.raises(ReboardError, match="another program's"):
        Ledger(ledger_file)
    assert ledger_file.read_bytes() == before


def test_an_older_ledger_is_brought_up_to_date_and_only_by_a_writer(
    ledger_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    balances = filled(ledger_file, 5)
    newer = (*schema.MIGRATIONS, "CREATE TABLE note (text TEXT) STRICT;", "ALTER TABLE note ADD COLUMN at REAL;")
    monkeypatch.setattr(schema, "MIGRATIONS", newer)
    with pytest.raises(ReboardError, match="older reboard"):
        Ledger(ledger_file, read_only=True)
    with closing(Ledger(ledger_file)) as ledger:
        assert schema.version_of(ledger.book.connection) == len(newer)
        ledger.book.connection.execute("INSERT INTO note (text, at) VALUES ('x', 1.0)")
        assert ledger.balances(2) == balances


def test_a_migration_that_fails_halfway_changes_nothing(ledger_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    balances = filled(ledger_file, 5)
    released = schema.MIGRATIONS
    monkeypatch.setattr(schema, "MIGRATIONS", (*released, "CREATE TABLE note (text); CREATE TABLE note (text);"))
    with pytest.raises(ReboardError, match="already exists"):
        Ledger(ledger_file)
    monkeypatch.setattr(schema, "MIGRATIONS", released)
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.balances(2) == balances


def test_a_full_disk_moves_nothing_and_the_ledger_goes_on_when_there_is_room(ledger_file: Path) -> None:
    with closing(Ledger(ledger_file)) as ledger:
        game = ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2)).id
        connection = ledger.book.connection
        connection.execute("PRAGMA max_page_count = 1")
        booked = 0
        while True:
            try:
                ledger.pay(game, 1, 2, 1, reason="x" * 500, press=f"{booked}", at=1.0)
            except sqlite3.OperationalError as error:
                assert "full" in str(error)  # noqa: PT017 - how many transfers fit is SQLite's affair
                break
            booked += 1
        assert ledger.balances(game) == {1: 1500 - booked, 2: 1500 + booked}
        assert len(ledger.transfers(game, 10_000)) == booked + 2
        assert ledger.verify() == []
        connection.execute("PRAGMA max_page_count = 100000")
        ledger.pay(game, 1, 2, 100, reason="x", press="again", at=1.0)


@pytest.mark.parametrize("rubbish", [b"this is no database at all" * 400, b"\x00" * 10_000])
def test_a_file_that_is_no_database_is_kept_aside_and_the_table_plays(
    ledger_file: Path, rubbish: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    for number in (1, 2):
        ledger_file.write_bytes(rubbish)
        caplog.clear()
        with caplog.at_level(logging.ERROR), closing(Ledger(ledger_file)) as ledger:
            assert ledger.games() == []
            ledger.new_game("nintendo", 1500, at=1.0, cards=(1,))
        kept = ledger_file.with_name(f"ledger.sqlite3.damaged-{number}")
        assert kept.read_bytes() == rubbish
        assert kept.name in caplog.text
    assert not ledger_file.with_name("ledger.sqlite3.recovering").exists()


def test_of_a_damaged_file_everything_readable_is_recovered_and_players_have_what_they_saw(
    ledger_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    balances = filled(ledger_file)
    leaves = pages_of(ledger_file, "transfer")
    assert len(leaves) >= 4, "a page in the middle must be there to lose"
    scribble(ledger_file, leaves[1])
    with caplog.at_level(logging.ERROR), closing(Ledger(ledger_file)) as ledger:
        assert ledger.balances(2) == balances
        assert ledger.balances(1) == {1: 1500, 2: 1500}
        current = ledger.game()
        assert current is not None
        assert (current.id, current.edition) == (2, "world")
        rows = ledger.transfers(2, 1000)
        assert 170 < len(rows) < 203
        assert "recovered" in {row.reason for row in rows}
        assert Deck(ledger.book).number("AA", known=(), players=6) == 1
        assert len(ledger.verify()) == 2, "so many are missing, and so many stand for them"
        ledger.pay(2, 0, 1, 1000, reason="received", press="new", at=9.0)
    assert "damaged-1" in caplog.text


def test_two_damaged_places_lose_only_what_was_there(ledger_file: Path) -> None:
    balances = filled(ledger_file)
    leaves = pages_of(ledger_file, "transfer")
    scribble(ledger_file, leaves[2])
    scribble(ledger_file, leaves[-3])
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.balances(2) == balances
        on_a_page = 200 / len(leaves)
        assert 200 - 4 * on_a_page < len(ledger.transfers(2, 1000)) < 203


def test_without_readable_balances_the_transfers_are_enough(ledger_file: Path) -> None:
    balances = filled(ledger_file)
    for page in pages_of(ledger_file, "account"):
        scribble(ledger_file, page)
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.balances(2) == balances
        assert ledger.verify() == ["when the file was mended, it was not wholly readable: account"]


def test_without_readable_games_their_transfers_are_kept_as_an_unknown_game(ledger_file: Path) -> None:
    balances = filled(ledger_file)
    for page in pages_of(ledger_file, "game"):
        scribble(ledger_file, page)
    with closing(Ledger(ledger_file)) as ledger:
        assert [game.edition for game in ledger.games()] == ["unknown", "unknown"]
        assert ledger.balances(2) == balances


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_damaged_a_table_plays_with_a_ledger_that_keeps_its_rules(ledger_file: Path, seed: int) -> None:
    filled(ledger_file, 200)
    rng = random.Random(seed)
    data = bytearray(ledger_file.read_bytes())
    for _ in range(rng.randint(1, 6)):
        place = rng.randrange(100, len(data) - 64)
        data[place : place + 64] = rng.randbytes(64)
    ledger_file.write_bytes(data)
    with closing(Ledger(ledger_file)) as ledger:
        game = ledger.new_game("nintendo", 1500, at=9.0, cards=(1,))
        assert ledger.balances(game.id) == {1: 1500}


def power_cut_copy(path: Path, copy: Path) -> dict[int, int]:
    """What lies on the disk of a running table, its latest transfers in the write-ahead log only; its balances."""
    balances = filled(path)
    with closing(Ledger(path)) as ledger:
        for number in range(5):
            ledger.pay(2, 0, 1, 1000, reason="received", press=f"late-{number}", at=4.0)
        for suffix in ("", "-wal"):
            copy.with_name(copy.name + suffix).write_bytes(path.with_name(path.name + suffix).read_bytes())
    return balances | {1: balances[1] + 5000}


def test_what_was_only_in_the_log_of_a_damaged_file_is_recovered_and_the_log_kept(
    tmp_path: Path, ledger_file: Path
) -> None:
    balances = power_cut_copy(tmp_path / "running.sqlite3", ledger_file)
    scribble(ledger_file, pages_of(tmp_path / "running.sqlite3", "transfer")[1])
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.balances(2) == balances
    assert ledger_file.with_name("ledger.sqlite3.damaged-1").exists()
    assert ledger_file.with_name("ledger.sqlite3.damaged-1-wal").exists()


def test_the_power_cut_between_two_renamings_of_a_recovery_loses_nothing(tmp_path: Path, ledger_file: Path) -> None:
    power_cut_copy(tmp_path / "damaged.sqlite3", tmp_path / "copy")
    balances = filled(ledger_file, 20)
    ledger_file.rename(ledger_file.with_name("ledger.sqlite3.recovering"))
    (tmp_path / "copy-wal").rename(ledger_file.with_name("ledger.sqlite3-wal"))
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.balances(2) == balances, "the log of the damaged file is not the recovered file's"
        assert ledger.verify() == []


def test_a_recovery_that_was_cut_short_begins_anew(ledger_file: Path) -> None:
    balances = filled(ledger_file)
    leaves = pages_of(ledger_file, "transfer")
    scribble(ledger_file, leaves[1])
    ledger_file.with_name("ledger.sqlite3.recovering").write_bytes(b"half")
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.balances(2) == balances


WRITER = """
import sys
from reboard.banker.ledger import Ledger
ledger = Ledger(sys.argv[1])
game = ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2)).id
number = 0
while True:
    number += 1
    transfer = ledger.pay(game, *((1, 2) if number % 2 else (2, 1)), 100, reason="x", press=str(number), at=1.0)
    print(transfer.id, flush=True)
"""


@pytest.mark.realtime
def test_what_was_confirmed_is_there_after_the_process_was_killed(ledger_file: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(ledger_file)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(50):
            confirmed = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        confirmed = max([confirmed, *map(int, writer.stdout.read().split(b"\n")[:-1])])
    with closing(Ledger(ledger_file)) as ledger:
        assert confirmed >= 52
        assert ledger.transfer(confirmed).amount == 100
        assert ledger.verify() == []


def test_the_log_of_a_ledger_that_was_removed_is_kept(ledger_file: Path) -> None:
    copy = ledger_file.with_name("copy-wal")
    with closing(Ledger(ledger_file)) as ledger:
        ledger.new_game("world", 1000, at=1.0)
        copy.write_bytes(ledger_file.with_name(f"{ledger_file.name}-wal").read_bytes())
    ledger_file.unlink()
    log = copy.rename(ledger_file.with_name(f"{ledger_file.name}-wal")).read_bytes()
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.book.mended
        assert ledger_file.with_name(f"{ledger_file.name}.damaged-1-wal").read_bytes() == log
