"""Whatever page of a ledger is damaged, and however: the table plays on, and what is readable is there again."""

from __future__ import annotations

import random
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from reboard.banker.book import Book
from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.deck import Deck
from reboard.banker.leaves import rows_of
from reboard.banker.ledger import BANK, POT, Game, Ledger, Transfer
from reboard.database import open_database
from reboard.errors import ReboardError
from reboard.refusal import Refusal

PAGE = 4096

EARLY, LATE = 120, 140
"""How many transfers there are on an earlier evening, and then in all: some forty fill a page."""


@dataclass(frozen=True)
class Contents:
    """All that is in a ledger."""

    games: list[Game]
    transfers: dict[int, Transfer]
    balances: dict[int, dict[int, int]]
    retired: dict[int, frozenset[int]]
    deck: list[tuple[str, int]]
    setting: str | None


@dataclass(frozen=True)
class Evening:
    """A ledger as it lies on the disk after a power cut, *log* having its latest transfers.

    *checkpointed* is what is in it without the log, *whole* with it; *accounts* are the pages of the balances.
    """

    file: bytes
    log: bytes
    earlier_file: bytes
    checkpointed: Contents
    whole: Contents
    accounts: set[int]


def contents(ledger: Ledger) -> Contents:
    games = ledger.games()
    return Contents(
        games=games,
        transfers={row.id: row for game in games for row in ledger.transfers(game.id, 10_000)},
        balances={game.id: ledger.balances(game.id) | {POT: ledger.pot(game.id) or 0} for game in games},
        retired={game.id: ledger.retired(game.id) for game in games},
        deck=ledger.book.connection.execute("SELECT tag, number FROM deck ORDER BY tag").fetchall(),
        setting=ledger.setting("configured_edition"),
    )


def pay(ledger: Ledger, numbers: range) -> None:
    rng = random.Random(numbers.start)
    for number in numbers:
        from_, to = rng.sample((BANK, 1, 2, 3), 2)
        amount = 1000 * rng.randint(1, 5)
        ledger.pay(2, from_, to, amount, reason="players", press=f"{number:040}", at=3.5 + number)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    running = tmp_path_factory.mktemp("evening") / "ledger.db"
    with closing(Ledger(running)) as ledger:
        for tag in ("62E3086CED", "AA", "BB"):
            Deck(ledger.book).number(tag, known=(), players=6)
        ledger.set_setting("configured_edition", "world")
        ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2))
        ledger.new_game("world", 15_000_000, at=2.0, cards=(1, 2, 3, 4, 5))
        ledger.bankrupt(2, 4, 1, press="bankrupt", at=3.0)
        ledger.pay(2, 5, 2, 15_000_000, reason="players", press="all", at=3.0)
        ledger.bankrupt(2, 5, BANK, press="with nothing", at=3.0)
        ledger.pay(2, 1, POT, 350_000, reason="pot_paid", press="pot", at=3.0)
        ledger.pay(2, POT, 3, 50_000, reason="pot_taken", press="some of it", at=3.0)
        pay(ledger, range(EARLY))
    # a ledger that is closed has everything in its file
    earlier_file = running.read_bytes()
    with closing(Ledger(running)) as ledger:
        pay(ledger, range(EARLY, LATE))
    with closing(Ledger(running)) as ledger:
        ask = ledger.book.connection.execute
        checkpointed = contents(ledger)
        pay(ledger, range(LATE, LATE + 5))
        file = running.read_bytes()
        (root,) = ask("SELECT rootpage FROM sqlite_schema WHERE name = 'account'").fetchone()
        log = log_of(running).read_bytes()
        return Evening(file, log, earlier_file, checkpointed, contents(ledger), accounts=set(pages_below(file, root)))


def log_of(file: Path) -> Path:
    return Path(f"{file}-wal")


def pages_below(data: bytes, page: int) -> Iterator[int]:
    """The numbers (from 1) of the pages of one tree."""
    yield page
    start = (page - 1) * PAGE
    header = start + (100 if page == 1 else 0)
    if data[header] in (0x02, 0x05):
        yield from pages_below(data, int.from_bytes(data[header + 8 : header + 12], "big"))
        for cell in range(int.from_bytes(data[header + 3 : header + 5], "big")):
            place = start + int.from_bytes(data[header + 12 + 2 * cell : header + 14 + 2 * cell], "big")
            yield from pages_below(data, int.from_bytes(data[place : place + 4], "big"))


Harm = Callable[[bytes, bytes, random.Random], bytes]
"""What becomes of a page that was once otherwise."""

HARMS: dict[str, Harm] = {
    "random bytes": lambda page, _, rng: rng.randbytes(PAGE),
    "zeros": lambda page, _, rng: bytes(PAGE),
    "second half zeros": lambda page, _, rng: page[: PAGE // 2] + bytes(PAGE // 2),
    "first half zeros": lambda page, _, rng: bytes(PAGE // 2) + page[PAGE // 2 :],
    "second half random": lambda page, _, rng: page[: PAGE // 2] + rng.randbytes(PAGE // 2),
    "second half of an earlier evening": lambda page, before, _: page[: PAGE // 2] + before[PAGE // 2 :],
    "first half of an earlier evening": lambda page, before, _: before[: PAGE // 2] + page[PAGE // 2 :],
}


@pytest.mark.parametrize("with_log", [False, True], ids=["checkpointed", "with its log"])
@pytest.mark.parametrize("way", HARMS)
def test_whatever_happened_to_one_page_money_is_right_and_nothing_is_missing_without_a_word(
    tmp_path: Path, evening: Evening, way: str, with_log: bool
) -> None:
    right = evening.whole if with_log else evening.checkpointed
    pages = [evening.file[place : place + PAGE] for place in range(0, len(evening.file), PAGE)]
    for number, page in enumerate(pages, start=1):
        folder = tmp_path / str(number)
        folder.mkdir()
        file = folder / "ledger.db"
        page_before = evening.earlier_file[(number - 1) * PAGE : number * PAGE].ljust(PAGE, b"\0")
        harmed = b"".join([*pages[: number - 1], HARMS[way](page, page_before, random.Random(number)), *pages[number:]])
        file.write_bytes(harmed)
        if with_log:
            log_of(file).write_bytes(evening.log)

        with closing(Ledger(file)) as ledger:
            found, problems = contents(ledger), ledger.verify()
            plays_on(ledger, game_is_known=found.games == right.games)

        about = f"page {number}, {way}: {problems}"
        damaged = folder / "ledger.db.damaged-1"
        if damaged.exists():
            assert damaged.read_bytes() == harmed, about
            assert not with_log or log_of(damaged).read_bytes() == evening.log, about
            assert list(folder.glob("*.recovering*")) == []
        assert bool(problems) or found == right, about
        if damaged.exists() or number not in evening.accounts:
            assert found.balances == right.balances, about
        made = {number: row for number, row in found.transfers.items() if row.reason != "recovered"}
        assert made.items() <= right.transfers.items(), about
        assert right.transfers.keys() - made.keys() <= {rowid for rowid, _ in rows_of(page)}, about


def plays_on(ledger: Ledger, *, game_is_known: bool) -> None:
    game = ledger.game()
    if game_is_known:
        assert game is not None
        assert game.edition == "world"
        ledger.pay(game.id, BANK, 1, 1000, reason="salary", press="on it goes", at=9.0)
    game = ledger.new_game("nintendo", 1500, at=10.0, cards=(1, 2))
    assert ledger.balances(game.id) == {1: 1500, 2: 1500}


@pytest.fixture
def damaged_file(ledger_file: Path, evening: Evening) -> Path:
    """One page of transfers is rubbish."""
    ledger_file.write_bytes(evening.file)
    log_of(ledger_file).write_bytes(evening.log)
    scribble(ledger_file)
    return ledger_file


def test_while_no_transfer_is_missing_a_broken_balance_is_not_believed(ledger_file: Path, evening: Evening) -> None:
    damaged = bytearray(zeroed(evening.file, "transfer_of_game"))
    for page in evening.accounts:
        for card, balance in evening.checkpointed.balances[2].items():
            place = damaged.find(balance.to_bytes(4, "big")[-3:], (page - 1) * PAGE, page * PAGE) if balance else -1
            if place >= 0:
                damaged[place + card % 3] ^= 0x10
    assert damaged != zeroed(evening.file, "transfer_of_game")
    ledger_file.write_bytes(damaged)
    with closing(Ledger(ledger_file)) as ledger:
        assert contents(ledger) == evening.checkpointed
        assert ledger.verify() == ["when the file was mended, it was not wholly readable: account"]


def test_what_stands_for_lost_transfers_is_not_taken_back(damaged_file: Path) -> None:
    with closing(Ledger(damaged_file)) as ledger:
        rows = ledger.transfers(2, 1000)
        before = ledger.balances(2)
        for stand_in in [row for row in rows if row.reason == "recovered"]:
            with pytest.raises(Refusal, match="no transfer that could be taken back"):
                ledger.undo(stand_in.id, press="one", at=9.0)
        while (last := ledger.last_to_undo(2)) and last.id > 100:
            assert last.reason != "recovered"
            ledger.undo(last.id, press=f"{last.id}", at=9.0)
        assert ledger.balances(2) != before


def test_a_game_is_as_it_was_last_whatever_lies_in_pages_that_are_out_of_use(
    ledger_file: Path, evening: Evening
) -> None:
    whole = Ledger(ledger_file)
    before = whole.new_game("world", 100, at=1.0)
    whole.new_game("nintendo", 100, at=2.0)
    (root,) = whole.book.connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'game'").fetchone()
    assert before.ended_at is None
    whole.close()
    file = zeroed(ledger_file.read_bytes(), "transfer_to")
    stale = bytearray(file[(root - 1) * PAGE : root * PAGE])
    ledger_file.write_bytes(file + bytes(stale).replace(b"nintendo", b"mintendo"))
    with closing(Ledger(ledger_file)) as ledger:
        assert [game.edition for game in ledger.games()] == ["world", "nintendo"]


@pytest.mark.parametrize("bit", [0x01, 0x40])
def test_one_broken_number_is_left_out_and_costs_no_memory(ledger_file: Path, evening: Evening, bit: int) -> None:
    data = bytearray(zeroed(evening.file, "transfer_of_game"))
    place, number = next(
        (place + int.from_bytes(data[place + 8 + 2 * cell : place + 10 + 2 * cell], "big"), number)
        for place in range(0, len(data), PAGE)
        for cell, (number, row) in enumerate(rows_of(bytes(data[place : place + PAGE])))
        if len(row) == 9 and number > 127
    )
    assert data[place + 1] & 0x80, "the number is of two bytes"
    data[place + 1] ^= bit
    ledger_file.write_bytes(data)
    tracemalloc.start()
    with closing(Ledger(ledger_file)) as ledger:
        found, problems = contents(ledger), ledger.verify()
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most_bytes < 4_000_000
    assert found.balances == evening.checkpointed.balances
    assert max(found.transfers) <= max(evening.checkpointed.transfers) + 2, "numbers go on where they were"
    assert any("transfers ever made are missing" in problem or "stand for" in problem for problem in problems), number


def zeroed(data: bytes, index: str) -> bytes:
    """*data* without the page of an index: enough for the file to be found damaged, and nothing in it is lost."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(data[:18] + b"\1\1" + data[20:])
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (index,)).fetchone()
    return data[: (root - 1) * PAGE] + bytes(PAGE) + data[root * PAGE :]


def scribble(file: Path) -> None:
    """Spoil the first page of transfers but one: some are lost, and some before them and after them are not."""
    data = file.read_bytes()
    leaves = [
        place
        for place in range(0, len(data), PAGE)
        if any(len(row) == 9 for _, row in rows_of(data[place : place + PAGE]))
    ]
    with file.open("r+b") as raw:
        raw.seek(leaves[1])
        raw.write(random.Random(1).randbytes(PAGE))


def test_a_file_that_is_damaged_again_is_mended_again(damaged_file: Path, evening: Evening) -> None:
    for number in (1, 2):
        with closing(Ledger(damaged_file)) as ledger:
            assert damaged_file.with_name(f"{damaged_file.name}.damaged-{number}").exists()
            assert contents(ledger).balances == evening.whole.balances
            assert any("are missing" in problem for problem in ledger.verify())
        scribble(damaged_file)


def test_what_was_not_readable_once_is_told_ever_after(ledger_file: Path, evening: Evening) -> None:
    ledger_file.write_bytes(bytes(PAGE) + evening.file[PAGE:])
    for _ in range(2):
        with closing(Ledger(ledger_file)) as ledger:
            assert any("not wholly readable: sqlite_schema" in problem for problem in ledger.verify())
        scribble(ledger_file)


def test_a_game_that_goes_on_goes_on_though_a_later_one_was_put_aside(ledger_file: Path) -> None:
    with closing(Ledger(ledger_file)) as ledger:
        first = ledger.new_game("world", 15_000_000, at=1.0, cards=(1, 2)).id
        ledger.new_game("nintendo", 1500, at=2.0, cards=(1, 2))
        ledger.resume(first, at=3.0)
        before = contents(ledger)
        (root,) = ledger.book.connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'transfer_to'"
        ).fetchone()
    data = ledger_file.read_bytes()
    ledger_file.write_bytes(data[: (root - 1) * PAGE] + bytes(PAGE) + data[root * PAGE :])
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger_file.with_name(f"{ledger_file.name}.damaged-1").exists()
        assert contents(ledger) == before
        assert ledger.verify() == []


def test_a_disk_that_is_full_while_a_file_is_mended_leaves_it_for_the_next_time(
    damaged_file: Path, evening: Evening
) -> None:
    def full_disk(uri: str) -> sqlite3.Connection:
        connection = open_database(uri)
        if ".recovering?" in uri:
            connection.execute("PRAGMA max_page_count = 20")
        return connection

    before = damaged_file.read_bytes()
    with pytest.raises(ReboardError, match="is full"):
        Ledger(damaged_file, database=full_disk)
    assert damaged_file.read_bytes() == before
    assert log_of(damaged_file).read_bytes() == evening.log
    with closing(Ledger(damaged_file)) as ledger:
        assert contents(ledger).balances == evening.whole.balances


def test_the_log_of_a_damaged_file_is_kept_though_the_power_goes_between_the_renamings(
    damaged_file: Path, evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Book, "_finish_recovery", lambda _: None)
        Ledger(damaged_file).close()
    damaged_file.unlink()
    log_of(damaged_file).write_bytes(evening.log)
    with closing(Ledger(damaged_file)) as ledger:
        assert contents(ledger).balances == evening.whole.balances
    kept = damaged_file.with_name(f"{damaged_file.name}.damaged-1")
    assert log_of(kept).read_bytes() == evening.log


def test_a_file_found_damaged_in_mid_game_is_kept_as_it_lay(ledger_file: Path, evening: Evening) -> None:
    ledger_file.write_bytes(evening.file)
    log_of(ledger_file).write_bytes(evening.log)
    books = Bookkeeper(ledger_file)
    books._work(lambda ledger: ledger.pay(2, BANK, 1, 1000, reason="salary", press="the last", at=9.0))
    scribble(ledger_file)
    lay = ledger_file.read_bytes(), log_of(ledger_file).read_bytes()

    def read_all(ledger: Ledger) -> None:
        ledger.book.connection.execute("PRAGMA cache_size = 0")
        contents(ledger)

    with pytest.raises(ReboardError, match="found damaged"):
        books._work(read_all)
    assert (ledger_file.read_bytes(), log_of(ledger_file).read_bytes()) == lay
    assert books._work(lambda ledger: ledger.balance(2, 1)) == evening.whole.balances[2][1] + 1000
    books._close_file()
    kept = ledger_file.with_name(f"{ledger_file.name}.damaged-1")
    assert (kept.read_bytes(), log_of(kept).read_bytes()) == lay


def test_the_power_cut_while_a_damaged_file_is_given_back_loses_nothing(damaged_file: Path, evening: Evening) -> None:
    damaged_file.rename(f"{damaged_file}.abandoned")
    with closing(Ledger(damaged_file)) as ledger:
        assert contents(ledger).balances == evening.whole.balances
