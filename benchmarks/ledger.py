"""The ledger: durable transfers a second, and what a thousand times more transfers in the file cost.

``python benchmarks/ledger.py [--transfers 2000] [--long 1000000] [--directory DIR]``. The files that are written to are
in DIR, or else where temporary files are: it should be on the disk that is meant.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import count, islice
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.big_ledger import ledger_of
from benchmarks.printing import print_table
from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.ledger import Ledger, Transfer

ROUNDS = 20
SHORT = 1000
LOOKS = 500
OPENINGS = 3
START = 15_000_000

INSERT = (
    'INSERT INTO transfer (game, "from", "to", amount, reason, at, undoes, press) VALUES (?, ?, ?, ?, ?, ?, ?, ?) '
    "RETURNING id"
)
NO_RULES = """
CREATE TABLE transfer (id INTEGER PRIMARY KEY, game INTEGER, "from" INTEGER, "to" INTEGER, amount INTEGER, reason TEXT,
    at REAL, undoes INTEGER, press TEXT) STRICT;
"""

Book = Callable[[int], None]
"""Books so many transfers, each of them durable before the next."""


def seconds(work: Callable[[], object]) -> float:
    """How long *work* takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def payment(game: int, number: int) -> Callable[[Ledger], Transfer]:
    """A transfer from one card to the other and, next time, back."""
    from_, to = (1, 2) if number % 2 else (2, 1)
    return lambda ledger: ledger.pay(game, from_, to, 1000, reason="players", press=f"press-{number}", at=1.0)


def prepared(path: Path) -> int:
    """A new ledger with a game of two cards in it."""
    with closing(Ledger(path)) as ledger:
        return ledger.new_game("world", START, at=0.0, cards=(1, 2)).id


@contextmanager
def by_ledger(path: Path) -> Iterator[Book]:
    """As the banker unit books, but for the thread."""
    game = prepared(path)
    numbers = count()

    def book(transfers: int) -> None:
        for number in islice(numbers, transfers):
            payment(game, number)(ledger)

    with closing(Ledger(path)) as ledger:
        yield book


@contextmanager
def by_bookkeeper(path: Path) -> Iterator[Book]:
    """As the banker unit books: asked by a loop, done in a thread."""
    game = prepared(path)
    numbers = count()
    loop = asyncio.new_event_loop()
    books = Bookkeeper(path)

    async def ask(transfers: int) -> None:
        for number in islice(numbers, transfers):
            await books.ask(payment(game, number))

    yield lambda transfers: loop.run_until_complete(ask(transfers))
    loop.run_until_complete(books.close())
    loop.close()


@contextmanager
def by_bare_sqlite(path: Path, *, rules: bool) -> Iterator[Book]:
    """The same insert by nothing but sqlite3 with the same settings."""
    game = prepared(path) if rules else 1
    numbers = count()

    def book(transfers: int) -> None:
        for number in islice(numbers, transfers):
            from_, to = (1, 2) if number % 2 else (2, 1)
            connection.execute(INSERT, (game, from_, to, 1000, "players", 1.0, None, f"press-{number}")).fetchall()

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for setting in ("foreign_keys = ON", "recursive_triggers = ON", "journal_mode = WAL", "synchronous = FULL"):
            connection.execute(f"PRAGMA {setting}")
        if not rules:
            connection.execute(NO_RULES)
        yield book


def rates(directory: Path, transfers: int) -> list[list[str]]:
    """A row for each way to book: the rounds alternate, so that a busy moment meets all of them."""
    with (
        by_bare_sqlite(directory / "bare.db", rules=True) as bare,
        by_ledger(directory / "ledger.db") as ledger,
        by_bookkeeper(directory / "books.db") as books,
        by_bare_sqlite(directory / "no-rules.db", rules=False) as without,
    ):
        ways = {
            "bare sqlite3, the ledger's schema": bare,
            "Ledger.pay": ledger,
            "Ledger.pay, asked of the Bookkeeper": books,
            "bare sqlite3, a table without any rule": without,
        }
        a_round = max(transfers // ROUNDS, 1)
        for book in ways.values():
            book(a_round)  # the first pages of a file are written more often than those that come later
        times: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(ROUNDS):
            for way, book in ways.items():
                times[way].append(seconds(partial(book, a_round)))
    rows = []
    first = next(iter(times.values()))
    for way, spent in times.items():
        ratio = median(bare_s / s for bare_s, s in zip(first, spent, strict=True))
        rows.append([way, f"{a_round / median(spent):.0f}", f"{1e6 * median(spent) / a_round:.0f} µs", f"{ratio:.2f}"])
    return rows


LOOK_UPS: dict[str, Callable[[Ledger], object]] = {
    "a balance": lambda ledger: ledger.balance(1, 3),
    "every balance": lambda ledger: ledger.balances(1),
    "a card's last 3 transfers": lambda ledger: ledger.transfers_of(1, 3, 3),
    "the last 20 transfers": lambda ledger: ledger.transfers(1, 20),
    "the last to undo": lambda ledger: ledger.last_to_undo(1),
    "who is out of the game": lambda ledger: ledger.retired(1),
}


def looking_up(short: Path, long: Path) -> list[list[str]]:
    """A row for each look-up, in a short and in a long ledger."""
    rows = []
    with closing(Ledger(short, read_only=True)) as few, closing(Ledger(long, read_only=True)) as many:
        for what, look in LOOK_UPS.items():
            pairs = [(seconds(partial(look, few)), seconds(partial(look, many))) for _ in range(LOOKS)]
            few_s, many_s = (median(column) for column in zip(*pairs, strict=True))
            rows.append([what, f"{1e6 * few_s:.0f} µs", f"{1e6 * many_s:.0f} µs", f"{many_s / few_s:.2f}"])
    return rows


def opening(files: list[Path], directory: Path) -> list[list[str]]:
    """A row for each ledger: how long it takes to open, and to look for damage in SQLite's two ways and in ours."""
    rows = []
    for number, file in enumerate(files):
        copy = directory / f"open-{number}.db"
        shutil.copy(file, copy)
        open_and_close = partial(_open_and_close, copy)
        open_and_close()
        opened = median(seconds(open_and_close) for _ in range(OPENINGS))
        _forget(copy)
        from_the_disk = seconds(open_and_close)
        with closing(sqlite3.connect(copy)) as connection:
            checks = [
                median(seconds(partial(_check, connection, check)) for _ in range(OPENINGS))
                for check in ("quick_check", "integrity_check")
            ]
            (transfers,) = connection.execute("SELECT count(*) FROM transfer").fetchone()
        with closing(Ledger(copy, read_only=True)) as ledger:
            verified = seconds(partial(_must_hold, ledger))
        size = copy.stat().st_size / 1e6
        figures = [f"{size:.1f} MB", *(f"{1000 * s:.0f} ms" for s in (opened, *checks, from_the_disk, verified))]
        rows.append([f"{transfers}", *figures])
    return rows


def _open_and_close(file: Path) -> None:
    Ledger(file).close()


def _check(connection: sqlite3.Connection, check: str) -> None:
    connection.execute(f"PRAGMA {check}(1)").fetchall()


def _forget(file: Path) -> None:
    """Let the next reader fetch *file* from the disk."""
    descriptor = os.open(file, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def _must_hold(ledger: Ledger) -> None:
    if problems := ledger.verify():
        raise SystemExit("\n".join(problems))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="The ledger.")
    parser.add_argument("--transfers", type=int, default=2000)
    parser.add_argument("--long", type=int, default=1_000_000)
    parser.add_argument("--directory", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.directory) as folder:
        directory = Path(folder)
        head = ["one after the other", "a second", "each", "of bare"]
        print_table("Durable transfers (WAL, synchronous = FULL)", head, rates(directory, asked.transfers))
        lengths = sorted({SHORT, *(length for length in (10 * SHORT, 100 * SHORT) if length < asked.long), asked.long})
        files = [ledger_of(length) for length in lengths]
        head = ["look-up", f"{lengths[0]} transfers", f"{lengths[-1]} transfers", "ratio"]
        print_table("Looking up", head, looking_up(files[0], files[-1]))
        head = ["transfers", "file", "opened", "quick check", "integrity check", "opened, from the disk", "verified"]
        print_table("Opening a ledger", head, opening(files, directory))


if __name__ == "__main__":
    main()
