"""The teller: says of each transfer and each game once that it is there, in order, and what ails their disk."""

from __future__ import annotations

from dataclasses import dataclass

from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.ledger import Game, Ledger, Transfer
from reboard.events import Emit
from reboard.trouble import Trouble


@dataclass(slots=True)
class _Place:
    """How far a ledger has been told: its last transfer, its last game, and the game that is on."""

    transfer: int
    game: int
    on: int | None

    @classmethod
    def of(cls, ledger: Ledger) -> _Place:
        on = ledger.game()
        return cls(ledger.last_transfer(), max((game.id for game in ledger.games()), default=0), on.id if on else None)


class Teller:
    """Tells of one ledger for as long as its table is switched on, however often the bank is begun anew meanwhile.

    *disk* is what is wrong with the ledger's disk.
    """

    def __init__(self, emit: Emit) -> None:
        self.disk = Trouble("ledger", emit)
        self._emit = emit
        self._place: _Place | None = None

    async def catch_up(self, books: Bookkeeper) -> None:
        """Tell what the disk has and nobody was told: it may have it though it said that it had not.

        What it had when the table was switched on is nothing new. Nor is what stands in a file that was mended: its
        numbers may be others.
        """
        place = self._place
        if place is None or await books.ask(lambda ledger: bool(ledger.book.mended)):
            self._place = await books.ask(_Place.of)
            return

        def news(ledger: Ledger) -> tuple[list[Game], list[Transfer], Game | None, _Place]:
            games = [game for game in ledger.games() if game.id > place.game]
            return games, ledger.transfers_after(place.transfer), ledger.game(), _Place.of(ledger)

        # `started` keeps the place, so that a game that began is not told as one that goes on;
        # in this order, for it is what one press did: nothing more is booked until this was looked for
        games, transfers, on, now = await books.ask(news)
        for game in games:
            self.started(game)
        for transfer in transfers:
            self.moved(transfer)
        if on and on.id != place.on:
            self.resumed(on)
        self._place = now

    def moved(self, transfer: Transfer) -> None:
        """Money has moved."""
        if self._place:
            self._place.transfer = transfer.id
        told = transfer.as_json()
        del told["at"]
        self._emit("transfer", **told)

    def started(self, game: Game) -> None:
        """A game has begun."""
        if self._place:
            self._place.game = self._place.on = game.id
        self._emit("game.started", game=game.id, edition=game.edition)

    def resumed(self, game: Game) -> None:
        """A game that was put aside goes on."""
        if self._place:
            self._place.on = game.id
        self._emit("game.resumed", game=game.id, edition=game.edition)
