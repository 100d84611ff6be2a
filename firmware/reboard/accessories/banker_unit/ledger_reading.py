"""What is read from the ledger."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Any

from reboard.accessories.banker_unit.accounts import BANK, CARDS
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import GAME, NEWEST_OF_GAME, TRANSFER, Game, Transfer, game_of
from reboard.errors import Rejection
from reboard.vocabulary.limits import LARGEST_WHOLE


class LedgerReading:
    """The methods that read a ledger with an open *connection*.

    None of them becomes slower as the ledger grows, except those that return all of it.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def game(self) -> Game | None:
        row = self._row(f"{GAME} WHERE ended_at IS NULL")
        return game_of(row) if row else None

    def games(self) -> list[Game]:
        return [game_of(row) for row in self.connection.execute(f"{GAME} ORDER BY id")]

    def last_to_undo(self, game: int) -> Transfer | None:
        """Return the last transfer of *game* that was not undone, or ``None``.

        Starting balances and undos do not count, nor do transfers of a card whose number has a new player since.
        """
        can_be = "AND undoes IS NULL AND reason <> 'start' AND NOT EXISTS (SELECT 1 FROM transfer WHERE undoes = t.id)"
        rows = self.connection.execute(NEWEST_OF_GAME.format(can_be), {"game": game})
        return next((last for row in rows if not self.started_again(last := Transfer(*row))), None)

    def started_again(self, transfer: Transfer) -> int | None:
        """Return the card of *transfer* that was given to a new player since, or ``None``."""
        row = self._row(
            """SELECT "to" FROM transfer WHERE game = ? AND "to" IN (?, ?) AND reason = 'start' AND id > ?""",
            transfer.game,
            transfer.from_,
            transfer.to,
            transfer.id,
        )
        return int(row[0]) if row else None

    def balance(self, game: int, card: int) -> int:
        """Return the balance of the account *card* in *game*. Raises ``LookupError`` if there is no such account."""
        row = self._row("SELECT balance FROM account WHERE game = ? AND card = ?", game, card)
        if not row:
            raise LookupError(f"card {card} has no account in game {game}")
        return int(row[0])

    def accounts(self, game: int) -> dict[int, int]:
        """Return the balance of each account in *game* except the bank's, in ascending order.

        A number that was freed has no card, until a new one joins with it.
        """
        rows = self.connection.execute(
            'SELECT card, balance FROM account WHERE game = ? AND card <> ? AND "left" <> 2 ORDER BY card', (game, BANK)
        )
        return dict(rows.fetchall())

    def balances(self, game: int) -> dict[int, int]:
        """Return the balance of each player's card in *game*, see `accounts`."""
        return {card: balance for card, balance in self.accounts(game).items() if card in CARDS}

    def retired(self, game: int) -> frozenset[int]:
        rows = self.connection.execute("SELECT card FROM account WHERE game = ? AND retired", (game,))
        return frozenset(card for (card,) in rows)

    def left(self, game: int) -> frozenset[int]:
        """Return the cards that left *game* and can return."""
        rows = self.connection.execute('SELECT card FROM account WHERE game = ? AND "left" = 1', (game,))
        return frozenset(card for (card,) in rows)

    def act_of(self, transfer: Transfer) -> list[Transfer]:
        """Return the transfers of the act to which *transfer* belongs, in their order."""
        if transfer.act is None:
            return [transfer]
        return [
            Transfer(*row) for row in self.connection.execute(f"{TRANSFER} WHERE act = ? ORDER BY id", (transfer.act,))
        ]

    def transfers(self, game: int, limit: int) -> list[Transfer]:
        """Return the latest *limit* transfers of *game*, newest first."""
        rows = self.connection.execute(f"{NEWEST_OF_GAME.format('')} LIMIT :limit", {"game": game, "limit": limit})
        return [Transfer(*row) for row in rows]

    def transfers_of(self, game: int, card: int, limit: int) -> list[Transfer]:
        """Return the latest *limit* transfers to or from the account *card* in *game*, newest first."""
        query = NEWEST_OF_GAME.format('AND :card IN ("from", "to")')
        rows = self.connection.execute(f"{query} LIMIT :limit", {"game": game, "card": card, "limit": limit})
        return [Transfer(*row) for row in rows]

    def transfers_after(self, transfer: int, most: int = -1) -> list[Transfer]:
        """Return the transfers of any game with a higher number than *transfer*, oldest first, up to *most* of them."""
        rows = self.connection.execute(f"{TRANSFER} WHERE id > ? ORDER BY id LIMIT ?", (transfer, most))
        return [Transfer(*row) for row in rows]

    def last_transfer(self, up_to: int = LARGEST_WHOLE) -> int:
        """Return the highest number of a transfer of any game, at most *up_to*, or 0 if there is none."""
        ((number,),) = self.connection.execute("SELECT coalesce(max(id), 0) FROM transfer WHERE id <= ?", (up_to,))
        return int(number)

    def transfer(self, transfer: int) -> Transfer:
        """Return transfer number *transfer*. Raises ``LookupError`` if there is none."""
        row = self._row(f"{TRANSFER} WHERE id = ?", transfer)
        if not row:
            raise LookupError(f"there is no transfer {transfer}")
        return Transfer(*row)

    def saved(self, press: str) -> Transfer | None:
        row = self._row(f"{TRANSFER} WHERE press = ?", press)
        return Transfer(*row) if row else None

    def opposite_of(self, transfer: int) -> Transfer | None:
        """Return the transfer that undid *transfer*, or ``None``."""
        row = self._row(f"{TRANSFER} WHERE undoes = ?", transfer)
        return Transfer(*row) if row else None

    def number_of(self, game: int, tag: str, *, known: Sequence[str]) -> int | None:
        """Return the number of the card *tag* in *game*, or ``None`` if the card is not in it."""
        configured = self._configured(known)
        row = self._row("SELECT number FROM deck WHERE tag = ?", tag)
        remembered = row[0] if row and row[0] not in configured.values() else None
        number = configured.get(tag, remembered)
        return number if number and self._is_in(game, number) else None

    def setting(self, name: str) -> str | None:
        """Return the value of the setting *name*, or ``None`` if it was not saved."""
        row = self._row("SELECT value FROM setting WHERE name = ?", name)
        return str(row[0]) if row else None

    def _number(self, game: int, tag: str, known: Sequence[str], most: int, held: Collection[int]) -> tuple[int, bool]:
        """Return the number of the card *tag*, and whether the number must be saved in the deck.

        The number of a player who joined *game* without a card is not free. One *held* by a phone is free only if there
        is no other.
        """
        configured = self._configured(known)
        if number := configured.get(tag):
            if number > most:
                raise Rejection(BankWhy.UNKNOWN_CARD)
            return number, False
        rows = self.connection.execute("SELECT tag, number FROM deck").fetchall()
        saved: dict[str, int] = {other: number for other, number in rows if other not in configured}
        free = [number for number in range(1, most + 1) if number not in configured.values()]
        if saved.get(tag) in free:
            return saved[tag], False
        absent = [number for number in free if not self._is_in(game, number)]
        absent = [number for number in absent if number not in held] or absent
        unused = [number for number in absent if number not in saved.values()]
        for number in unused or absent:
            return number, True
        raise Rejection(BankWhy.UNKNOWN_CARD)

    def _configured(self, known: Sequence[str]) -> dict[str, int]:
        """Return the numbers of the cards with *known* tags, keyed by tag, without those that lost their numbers."""
        lost = set(self.connection.execute("SELECT tag, number FROM lost"))
        return {tag: number for number, tag in enumerate(known, 1) if (tag, number) not in lost}

    def _left(self, game: int, card: int) -> int | None:
        """Return the column ``left`` of an account, or ``None`` if there is no such account."""
        row = self._row('SELECT "left" FROM account WHERE game = ? AND card = ?', game, card)
        return int(row[0]) if row else None

    def _is_in(self, game: int, card: int) -> bool:
        """Return whether *card* is in *game*, or left it and can return."""
        return self._left(game, card) in (0, 1)

    def _game(self, game: int) -> Game:
        row = self._row(f"{GAME} WHERE id = ?", game)
        if not row:
            raise LookupError(f"there is no game {game}")
        return game_of(row)

    def _row(self, query: str, *values: object) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self.connection.execute(query, values).fetchone()
        return row
