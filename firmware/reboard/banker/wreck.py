"""A damaged book, read as far as it can be."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from reboard.banker import schema
from reboard.banker.leaves import PAGE_BYTES, Row, rows_of

UNREADABLE = (sqlite3.DatabaseError, ValueError, OverflowError)
"""What reading a damaged page can raise."""

INTEGER, TEXT, REAL, NOTHING = (int,), (str,), (int, float), (type(None),)
"""What can stand in a column. A whole number of seconds is stored as one."""

Kinds = tuple[tuple[type, ...], ...]

FILE_HEADER_BYTES = 100

GAME_KINDS: Kinds = (NOTHING, TEXT, INTEGER, INTEGER, INTEGER, REAL, REAL + NOTHING)
TRANSFER_KINDS: Kinds = (NOTHING, INTEGER, INTEGER, INTEGER, INTEGER, TEXT, REAL, INTEGER + NOTHING, TEXT)
"""What tells a row of these tables from any other table's, wherever it lies."""


class Wreck:
    """The damaged book behind *connection*, made of *pages*. *lost* names each table that was not wholly readable."""

    def __init__(self, connection: sqlite3.Connection, pages: list[bytes]) -> None:
        self._connection = connection
        self._pages = pages
        self.lost: set[str] = set()

    def games(self) -> dict[int, Row]:
        """The readable games by their numbers."""
        # a game ends, or goes on: in a page that is no longer in use, it may be as it was before
        columns = "id, edition, start, largest, may_owe, started_at, ended_at"
        latest = {row[0]: row for row in self._rows("game", columns, (INTEGER, *GAME_KINDS[1:]), key="id")}
        return self._in_any_leaf(GAME_KINDS) | latest

    def transfers(self) -> dict[int, Row]:
        """The readable transfers by their numbers, in their order."""
        return dict(sorted(self._in_any_leaf(TRANSFER_KINDS).items()))

    def balances(self) -> list[Row]:
        """Game, card and balance of the readable accounts."""
        return self._rows("account", "game, card, balance", (INTEGER, INTEGER, INTEGER), key="game, card")

    def retired(self) -> list[Row]:
        """Game and card of the readable accounts that are out of their game."""
        rows = self._rows("account", "game, card, retired", (INTEGER, INTEGER, INTEGER), key="game, card")
        return [(game, card) for game, card, retired in rows if retired]

    def cards(self) -> list[Row]:
        """Tag and number of the readable cards of the deck."""
        return self._rows("deck", "tag, number", (TEXT, INTEGER), key="tag")

    def settings(self) -> list[Row]:
        """Name and value of the readable settings."""
        return self._rows("setting", "name, value", (TEXT, TEXT), key="name")

    def counts(self) -> dict[str, int]:
        """How many rows there ever were, by table, where that is readable."""
        return dict(self._rows("sqlite_sequence", "name, seq", (TEXT, INTEGER), key="rowid"))

    def _rows(self, table: str, columns: str, kinds: Kinds, *, key: str) -> list[Row]:
        """The readable rows of a table as SQLite finds them, from both ends of its *key*."""
        rows: dict[Row, None] = {}
        for order in ("ASC", "DESC"):
            by = ", ".join(f"{column} {order}" for column in key.split(", "))
            try:
                for row in self._connection.execute(f"SELECT {columns} FROM {table} ORDER BY {by}"):
                    if row in rows:
                        break
                    rows[row] = None
            except UNREADABLE as error:
                if not _is_unknown(error):
                    self.lost.add(table)
        whole = [row for row in rows if _is_of(kinds, row)]
        if len(whole) < len(rows):
            self.lost.add(table)
        return whole

    def _in_any_leaf(self, kinds: Kinds) -> dict[int, Row]:
        """The rows that lie in any leaf. What is never changed or removed is true wherever it lies."""
        return {rowid: (rowid, *row[1:]) for page in self._pages for rowid, row in rows_of(page) if _is_of(kinds, row)}


@contextmanager
def wreck_of(damaged: Path) -> Iterator[Wreck]:
    """Read a copy of the book *damaged*, with what was confirmed in its log. The book itself is left as it is."""
    with TemporaryDirectory(prefix="reboard-") as folder:
        copy = Path(folder, "ledger.db")
        for suffix in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{damaged}{suffix}", f"{copy}{suffix}")
        is_as_made = _take_in_log(copy)
        data = copy.read_bytes()
        pages = [data[place : place + PAGE_BYTES] for place in range(PAGE_BYTES, len(data), PAGE_BYTES)]
        copy.write_bytes(_first_page(_roots(pages)) + data[PAGE_BYTES:])
        with closing(sqlite3.connect(copy)) as connection:
            wreck = Wreck(connection, pages)
            if not is_as_made:
                wreck.lost.add("sqlite_schema")
            yield wreck


def _take_in_log(copy: Path) -> bool:
    """Let SQLite move the log into the copy, which it does when the copy is closed. Whether its tables are ours."""
    with copy.open("r+b") as file:
        file.write(_first_page(_roots([]))[:FILE_HEADER_BYTES])
    with closing(sqlite3.connect(copy)) as connection:
        try:
            return schema.contents_of(connection) in schema.contents()
        except UNREADABLE:
            return False


def _roots(pages: list[bytes]) -> dict[str, int]:
    """On which page each table begins: as it says itself, or else where the first version's have always begun."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as pattern:
        pattern.executescript(schema.FIRST)
        roots = dict(pattern.execute("SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'").fetchall())
    for page in pages:
        for _, row in rows_of(page):
            match row:
                case "table", str(name), _, int(root), _ if 1 < root <= len(pages) + 1:
                    roots[name] = root
    return roots


def _first_page(roots: Mapping[str, int]) -> bytes:
    """A first page that says where the tables are, and leaves it to the file how many pages there are.

    It has neither rules nor indexes of its own, to fit one page.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as pattern:
        for kind, name, _, text in sorted(schema.contents()[-1]):
            if kind == "table" and name in roots and not name.startswith("sqlite_"):
                pattern.execute(text)
        pattern.execute("PRAGMA writable_schema = ON")
        pattern.executemany("UPDATE sqlite_schema SET rootpage = ?2 WHERE name = ?1", roots.items())
        page = bytearray(pattern.serialize()[:PAGE_BYTES])
    page_count, freelist_end = 28, 40
    page[page_count:freelist_end] = bytes(freelist_end - page_count)
    return bytes(page)


def _is_of(kinds: Kinds, row: Row) -> bool:
    """Whether a row has values of these kinds: no text of ours has anything in it that cannot be printed."""
    return (
        len(row) == len(kinds)
        and all(map(isinstance, row, kinds))
        and all(value.isprintable() for value in row if isinstance(value, str))
    )


def _is_unknown(error: Exception) -> bool:
    """Whether an older version simply had no such table or column."""
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
