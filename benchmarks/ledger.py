"""The ledger: durable transfers a second, against bare SQLite; and what its backups cost.

``python benchmarks/ledger.py [--transfers 2000] [--sizes 100 10000 100000] [--rounds 100] [--directory DIR]``. The
files that are written to are in DIR, or else where temporary files are: it should be on the disk that is meant.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import count, islice
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.printing import print_table
from reboard.accessories.banker_unit.backup import EVERY_TRANSFERS, KEPT
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger import Ledger, Transfer
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.schema import Move

ROUNDS = 20
START = 15_000_000

LONGEST_BACKUP_S = 100.0
"""The maximum time of a backup. After that, the benchmark fails."""

INSERT = (
    'INSERT INTO transfer (game, "from", "to", amount, reason, at, undoes, press) VALUES (?, ?, ?, ?, ?, ?, ?, ?) '
    "RETURNING id"
)
NO_RULES = """
CREATE TABLE transfer (id INTEGER PRIMARY KEY, game INTEGER, "from" INTEGER, "to" INTEGER, amount INTEGER, reason TEXT,
    at REAL, undoes INTEGER, press TEXT) STRICT;
"""

Book = Callable[[int], None]
"""Makes a number of transfers, each durable before the next."""


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds that *work* takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def payment(game: int, number: int) -> Callable[[Ledger], list[Transfer]]:
    """Return a transfer between the two cards, in alternating directions."""
    from_, to = (1, 2) if number % 2 else (2, 1)
    return lambda ledger: ledger.pay_all(game, [Move(from_, to, 1000, "players")], press=f"press-{number}", at=1.0)


def prepared(path: Path) -> int:
    """Open a new ledger with a game of two cards."""
    with closing(LedgerFile(path)) as ledger:
        return ledger.new_game("world", START, at=0.0, cards=(1, 2)).id


@contextmanager
def by_ledger(path: Path) -> Iterator[Book]:
    """Make transfers as the banker unit does, but without its thread."""
    game = prepared(path)
    numbers = count()

    def book(transfers: int) -> None:
        for number in islice(numbers, transfers):
            payment(game, number)(ledger)

    with closing(LedgerFile(path)) as ledger:
        yield book


@contextmanager
def by_ledger_thread(path: Path) -> Iterator[Book]:
    """Make transfers as the banker unit does: requested by a loop, done in a thread."""
    game = prepared(path)
    numbers = count()
    loop = asyncio.new_event_loop()
    books = LedgerThread(partial(LedgerFile, path))

    async def ask(transfers: int) -> None:
        for number in islice(numbers, transfers):
            await books.ask(payment(game, number))

    yield lambda transfers: loop.run_until_complete(ask(transfers))
    loop.run_until_complete(books.close())
    loop.close()


@contextmanager
def by_bare_sqlite(path: Path) -> Iterator[Book]:
    """Insert into a table without rules, with bare sqlite3 and the same settings."""
    numbers = count()

    def book(transfers: int) -> None:
        for number in islice(numbers, transfers):
            from_, to = (1, 2) if number % 2 else (2, 1)
            connection.execute(INSERT, (1, from_, to, 1000, "players", 1.0, None, f"press-{number}")).fetchall()

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for setting in ("journal_mode = WAL", "synchronous = FULL"):
            connection.execute(f"PRAGMA {setting}")
        connection.execute(NO_RULES)
        yield book


def rates(directory: Path, transfers: int) -> list[list[str]]:
    """Return a row for each way. The rounds alternate, so that a busy moment affects all of them."""
    with (
        by_ledger(directory / "ledger.db") as ledger,
        by_ledger_thread(directory / "books.db") as books,
        by_bare_sqlite(directory / "bare.db") as bare,
    ):
        ways = {
            "bare sqlite3, a table without any rule": bare,
            "Ledger.pay_all": ledger,
            "Ledger.pay_all, on the ledger thread": books,
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


def percentile_99(times: Sequence[float]) -> float:
    """Return the time that 99 of 100 do not exceed."""
    return sorted(times)[len(times) * 99 // 100]


def written_bytes() -> int:
    """Return the number of bytes that this process has caused to be written to disks."""
    found = re.search(r"^write_bytes: (\d+)", Path("/proc/self/io").read_text(encoding="ascii"), re.MULTILINE)
    return int(found[1]) if found else 0


def filled(path: Path, transfers: int) -> int:
    """Fill a new ledger with *transfers*. Return the number of its game."""
    game = prepared(path)
    with closing(LedgerFile(path)) as ledger, ledger.transaction() as connection:
        for number in range(transfers):
            from_, to = (1, 2) if number % 2 else (2, 1)
            row = (game, from_, to, 1000, "players", 1.0, None, f"before-{number}")
            connection.execute(INSERT, row).fetchall()
    return game


async def backed_up(path: Path, transfers: int, rounds: int) -> list[str]:
    """Return the cells for a ledger with *transfers*, in which 100 payments are made, and up to 18 in each round."""
    game = filled(path, transfers)
    numbers = count()
    books = LedgerThread(partial(LedgerFile, path))

    async def pay(payments: int) -> list[float]:
        times = []
        for number in islice(numbers, payments):
            began = time.perf_counter()
            await books.ask(payment(game, number))
            times.append(time.perf_counter() - began)
        return times

    def backups() -> set[str]:
        return {file.name for file in path.parent.glob(f"{path.name}.backup-*[0-9]")}

    async def until_another_than(before: set[str]) -> None:
        async with asyncio.timeout(LONGEST_BACKUP_S):
            while backups() <= before:  # noqa: ASYNC110 - a file is no event
                await asyncio.sleep(0.001)

    async def pay_ten() -> None:
        before = backups()
        await pay(EVERY_TRANSFERS)
        await until_another_than(before)

    for _ in range(2 * (KEPT + 1)):  # the first ones are whole copies
        books.back_up()
        await pay_ten()
    began_with = written_bytes()
    began_at = time.perf_counter()
    for _ in range(10):
        await pay_ten()
    kilobytes = (written_bytes() - began_with) / 100 / 1000
    between_s = (time.perf_counter() - began_at) / 10 / EVERY_TRANSFERS
    without: list[float] = []
    during: list[float] = []
    for _ in range(rounds):
        without += await pay(EVERY_TRANSFERS - 1)
        before = backups()
        books.back_up()
        for _ in range(EVERY_TRANSFERS - 1):
            times = await pay(1)
            if backups() <= before:
                during += times
                await asyncio.sleep(between_s / 2)
        await until_another_than(before)
        before = backups()
        books.back_up()
        await until_another_than(before)
    await books.close()
    slow, slower = percentile_99(without), percentile_99(during)
    return [
        f"{transfers:,}",
        f"{kilobytes:.1f} kB" if kilobytes else "not measured",
        f"{1e3 * slow:.2f} ms",
        f"{1e3 * slower:.2f} ms",
        f"{slower / slow:.1f}",
    ]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="The ledger.")
    parser.add_argument("--transfers", type=int, default=2000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--directory", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.directory) as folder:
        head = ["one after the other", "a second", "each", "of bare"]
        print_table("Durable transfers (WAL, synchronous = FULL)", head, rates(Path(folder), asked.transfers))
        head = ["transfers in the ledger", "written a payment", "p99 of a payment", "p99 during a backup", "ratio"]
        rows = [asyncio.run(backed_up(Path(folder) / f"{size}.db", size, asked.rounds)) for size in asked.sizes]
        print_table("Payments with backups", head, rows)


if __name__ == "__main__":
    main()
