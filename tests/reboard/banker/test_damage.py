"""One wrong bit, of the file's first bytes or of its rules: the table has its bank, its money and its rules."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from reboard.banker import schema
from reboard.banker.ledger import BANK, Ledger
from reboard.errors import ReboardError
from tests.reboard.banker.hand_ledger import START, pay, refused

PAGE = 4096
HEADER = 100


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Two cards that play, one that went bankrupt with nothing, and a setting."""
    file = tmp_path_factory.mktemp("book") / "ledger.db"
    with closing(Ledger(file)) as ledger:
        game = ledger.new_game("nintendo", START, at=1.0, cards=(1, 2, 3), largest=10_000).id
        pay(ledger, game, 3, 1, START)
        ledger.bankrupt(game, 3, BANK, press="with nothing", at=2.0)
        ledger.set_setting("configured_edition", "nintendo")
    return file.read_bytes()


def is_right(file: Path) -> bool:
    """Whether the bank opens with all that was in the book, keeps the rules, and says so if anything is odd."""
    with closing(Ledger(file)) as ledger:
        is_whole = (ledger.balances(1), ledger.retired(1), ledger.setting("configured_edition")) == (
            {1: 2 * START, 2: START, 3: 0},
            frozenset({3}),
            "nintendo",
        )
        odd = ledger.verify()
        paid = pay(ledger, 1, BANK, 2, 100)
        return (
            is_whole
            and refused(lambda: pay(ledger, 1, 1, 2, 2 * START + 1)) == "no funds"
            and ledger.undo(paid.id, press="taken back", at=3.0).undoes == paid.id
            and (not odd or file.with_name(f"{file.name}.damaged-1").exists())
            and ledger.verify() == odd
        )


def in_the_header(_: bytes, rng: random.Random) -> Iterable[int]:
    return (8 * byte + rng.randrange(8) for byte in range(HEADER))


def in_the_rules(book: bytes, rng: random.Random) -> Iterable[int]:
    pages = [place for place in range(PAGE, len(book), PAGE) if b"CREATE TRIGGER" in book[place : place + PAGE]]
    written = [byte for place in pages for byte in range(place, place + PAGE) if book[byte]]
    return (8 * byte + rng.randrange(8) for byte in rng.sample(written, 100))


Bits = Callable[[bytes, random.Random], Iterable[int]]


@pytest.mark.parametrize("where", [in_the_header, in_the_rules])
def test_whichever_bit_is_wrong_the_table_has_its_bank_and_its_money(tmp_path: Path, book: bytes, where: Bits) -> None:
    for bit in where(book, random.Random(1)):
        folder = tmp_path / str(bit)
        folder.mkdir()
        harmed = bytearray(book)
        harmed[bit // 8] ^= 1 << bit % 8
        (folder / "ledger.db").write_bytes(harmed)
        assert is_right(folder / "ledger.db"), f"byte {bit // 8}, bit {bit % 8}"


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TRIGGER account_has_funds",
        "DROP INDEX transfer_of_game",
        "DROP VIEW bankruptcy; CREATE VIEW bankruptcy AS SELECT 1 AS id, 1 AS game, 1 AS card, 1 AS undone_by WHERE 0",
        "CREATE TRIGGER tip AFTER INSERT ON transfer BEGIN UPDATE account SET balance = balance + 1; END",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 66",
        "PRAGMA user_version = -2",
        "PRAGMA application_id = 0",
    ],
)
def test_a_book_that_is_not_as_it_was_made_is_mended(ledger_file: Path, book: bytes, sql: str) -> None:
    ledger_file.write_bytes(book)
    with closing(sqlite3.connect(ledger_file)) as somebody_else:
        somebody_else.executescript(sql)
    assert is_right(ledger_file)
    assert ledger_file.with_name(f"{ledger_file.name}.damaged-1").exists()


def test_a_broken_letter_spoils_nothing_but_its_word(ledger_file: Path, book: bytes) -> None:
    ledger_file.write_bytes(book.replace(b"test", b"\xf4est"))
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.balances(1) == {1: 2 * START, 2: START, 3: 0}
        assert "�est" in {row.reason for row in ledger.transfers(1, 100)}
        assert not ledger_file.with_name(f"{ledger_file.name}.damaged-1").exists()


def test_every_version_has_something_of_its_own() -> None:
    assert len(set(schema.contents())) == len(schema.MIGRATIONS) + 1


def test_a_newer_book_whose_number_is_broken_too_is_not_taken_for_another_programs(
    ledger_file: Path, book: bytes
) -> None:
    ledger_file.write_bytes(book)
    with closing(sqlite3.connect(ledger_file)) as connection:
        connection.execute("CREATE TABLE note (text TEXT)")
        connection.execute("PRAGMA application_id = 1")
        connection.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")
    with pytest.raises(ReboardError, match="a newer reboard wrote"):
        Ledger(ledger_file)
