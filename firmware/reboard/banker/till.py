"""The till: the game that is on, as the books have it, and never a moment ahead of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from uuid import uuid4

from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.ledger import BANK, Game, Transfer
from reboard.edition import Edition
from reboard.errors import ReboardError
from reboard.events import Emit
from reboard.refusal import Refusal

REMEMBERED = 20
"""How many of the latest transfers are told with the balances."""


class Till:
    """Balances and latest transfers of one game, kept beside the disk so that looking never waits for it.

    What writes returns when the disk has it, and only then are balances and events told. It raises `Refusal` when
    the rules or the disk forbid it; then nothing has moved.
    """

    def __init__(self, books: Bookkeeper, edition: Edition, *, emit: Emit, wall_time: Callable[[], float]) -> None:
        self._books = books
        self._edition = edition
        self._emit = emit
        self._wall_time = wall_time
        self._game: Game | None = None
        run = uuid4().hex
        self._presses = (f"{run}-{number}" for number in count(1))
        self.balances: dict[int, int] = {}
        self.latest: deque[Transfer] = deque(maxlen=REMEMBERED)

    @property
    def game(self) -> int | None:
        """The number of the game that is on."""
        return self._game.id if self._game else None

    async def open(self) -> None:
        """Go on with the game in the books; one of another edition is over, and a new one begins."""
        game = await self._books.game()
        if game is None or game.edition != self._edition.name:
            await self.start_game()
            return
        balances = await self._books.balances(game.id)
        latest = await self._books.transfers(game.id, REMEMBERED)
        self._game = game
        self.balances.update(balances)
        self.latest.extend(latest)

    async def start_game(self, cards: Iterable[int] = ()) -> None:
        """Begin a game in which each of *cards* has the starting balance."""
        edition = self._edition
        game = await self._books.new_game(
            edition.name,
            edition.start,
            at=self._wall_time(),
            cards=cards,
            largest=edition.money.largest,
            may_owe=edition.may_owe,
        )
        self._game = game
        self.balances.clear()
        self.latest.clear()
        self._emit("game.started", game=game.id, edition=edition.name)
        for start in game.starts:
            self._tell(start)

    async def number(self, tag: str, known: tuple[str, ...]) -> int:
        """The number of the card *tag*."""
        number = await self._books.number(tag, known=known, players=self._edition.players.most)
        if number is None:
            raise Refusal("unknown card")
        return number

    async def join(self, card: int) -> None:
        """Let *card* take part; one that is new to the game gets the starting balance."""
        start = await self._books.join(self._on.id, card, at=self._wall_time())
        if start:
            self._tell(start)

    async def pay(self, from_: int, to: int, amount: int, reason: str) -> Transfer:
        """Move *amount*, once."""
        transfer = await self._books.pay(
            self._on.id, from_, to, amount, reason=reason, press=next(self._presses), at=self._wall_time()
        )
        self._tell(transfer)
        return transfer

    async def undo(self, number: int | None = None) -> Transfer:
        """Take back transfer *number* of this game, or the last that can be; returns its opposite."""
        try:
            wrong = await (self._books.last_to_undo(self._on.id) if number is None else self._books.transfer(number))
        except LookupError:
            wrong = None
        if wrong is None or wrong.game != self._on.id:
            raise Refusal("nothing to undo")
        transfer = await self._books.undo(wrong.id, press=next(self._presses), at=self._wall_time())
        self._tell(transfer)
        return transfer

    def as_json(self) -> dict[str, object]:
        """Game, cards and latest transfers, newest first."""
        return {
            "game": self.game,
            "cards": [
                {"number": number, "balance": balance, "shown": self._edition.money.shown(balance)}
                for number, balance in sorted(self.balances.items())
            ],
            "transfers": [transfer.as_json() for transfer in self.latest],
        }

    @property
    def _on(self) -> Game:
        if self._game is None:
            raise ReboardError("no game is on")
        return self._game

    def _tell(self, transfer: Transfer) -> None:
        for card, change in ((transfer.from_, -transfer.amount), (transfer.to, transfer.amount)):
            if card != BANK:
                self.balances[card] = self.balances.get(card, 0) + change
        self.latest.appendleft(transfer)
        told = transfer.as_json()
        del told["at"]
        self._emit("transfer", **told)
