"""Which card has which number: remembered beside the ledger, which does not know."""

from __future__ import annotations

from collections.abc import Sequence

from reboard.banker.book import Book


class Deck:
    """The cards ever seen, by their tags, in the banker's book.

    The cards of a known deck have the numbers from 1 in the deck's order, whatever is remembered of others; a card
    never seen before takes the next free number and keeps it, through restarts and from game to game.
    """

    def __init__(self, book: Book) -> None:
        self._book = book

    def number(self, tag: str, *, known: Sequence[str], players: int) -> int | None:
        """The number of the card *tag*, 1 to *players*; ``None`` when none is left for it.

        Raises ``sqlite3.Error`` when the disk does not take what has to be remembered.
        """
        if tag in known:
            number = known.index(tag) + 1
            return number if number <= players else None
        rows = self._book.connection.execute("SELECT tag, number FROM deck").fetchall()
        remembered: dict[str, int] = {other: number for other, number in rows if other not in known}
        free = range(len(known) + 1, players + 1)
        if remembered.get(tag) in free:
            return remembered[tag]
        number = next((n for n in free if n not in remembered.values()), 0)
        if not number:
            return None
        with self._book.writing() as connection:
            # one that is known by now had it, and needs no memory
            connection.execute("DELETE FROM deck WHERE number = ?", (number,))
            connection.execute(
                "INSERT INTO deck VALUES (?, ?) ON CONFLICT (tag) DO UPDATE SET number = excluded.number", (tag, number)
            )
        return number
