"""The till: the game that is on, as the books have it, and never a moment ahead of them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from typing import TypeVar
from uuid import uuid4

from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.calendar import Calendar
from reboard.banker.deck import Deck
from reboard.banker.ended_game import NOT_ENDED, EndedGame, keep_ended
from reboard.banker.game_clock import keep_clock
from reboard.banker.history import NO_HISTORY, history
from reboard.banker.kept_games import KeptGame, kept_games
from reboard.banker.ledger import BANK, POT, Game, Ledger, Transfer
from reboard.banker.names import Names, keep_name
from reboard.banker.no_ledger import NoLedgerError
from reboard.banker.standing import REMEMBERED, HostsWord, Standing
from reboard.banker.stands import why_it_stands
from reboard.banker.teller import Teller
from reboard.edition import Edition, editions_in_the_box
from reboard.errors import ReboardError
from reboard.events import Emit
from reboard.refusal import Refusal
from reboard.trouble import Trouble

CONFIGURED_EDITION = "configured_edition"
"""The ledger's setting for what edition the config named last."""

T = TypeVar("T")


class Till:
    """Balances and latest transfers of one game, kept beside the disk so that looking never waits for it.

    The game that is on has its edition; *edition* is the one that the config names. What writes returns when the disk
    has it, and only then are balances and events told. It raises `Refusal` when the rules or the disk forbid it; then
    nothing has moved. When the disk turns out to have what it said it had not, `ReboardError` is raised: the till is to
    be opened anew.

    *clock* is how many minutes of play the game has left, if it has a clock. *names* are the players', and become what
    the host has called them. *mended* is what became of a file that was found damaged. The *teller* has told what tills
    before this one booked; without one, there was none.

    With *has_pot* the game has a Free Parking pot. Without it, a pot that still holds money can be taken, not filled.
    """

    def __init__(
        self,
        books: Bookkeeper,
        edition: Edition,
        *,
        emit: Emit,
        wall_time: Callable[[], float],
        names: Names | None = None,
        teller: Teller | None = None,
        has_pot: bool = False,
    ) -> None:
        self._books = books
        self._configured = edition
        self._teller = teller or Teller(emit)
        self._emit = emit
        self._calendar = Calendar(wall_time, emit)
        self._game: Game | None = None
        self._ended: EndedGame | None = None
        self._looking_back = asyncio.Lock()
        self._editions: dict[str, Edition] = {}
        self._run = uuid4().hex
        self._numbers = count(1)
        self.edition = edition
        self.names = names or Names()
        self.balances: dict[int, int] = {}
        self.retired: set[int] = set()
        self.has_pot = has_pot
        self.pot = 0
        self.latest: deque[Transfer] = deque(maxlen=REMEMBERED)
        self.clock: int | None = None
        self.mended = ""

    @property
    def game(self) -> int | None:
        """The number of the game that is on."""
        return self._game.id if self._game else None

    @property
    def playing(self) -> list[int]:
        """The cards that are in the game, and have not gone bankrupt."""
        return [card for card in sorted(self.balances) if card not in self.retired]

    @property
    def ended(self) -> EndedGame | None:
        """The game that is on, if it is over and nothing has happened in it since."""
        is_still = self._ended and self._ended.is_still_ended(self.game, self._last_transfer, self.playing)
        return self._ended if is_still else None

    @property
    def is_over(self) -> bool:
        """Whether the bankruptcies so far end a game of this edition, or leave one player."""
        return len(self.playing) == 1 or len(self.retired) == self.edition.ends_at_bankruptcy

    @property
    def disk(self) -> Trouble:
        """What is wrong with the ledger's disk."""
        return self._teller.disk

    async def open(self) -> Game | None:
        """Go on with the game in the books, in its edition.

        A config that names another edition than last time wants a new game in that. So does a game whose edition is not
        here any more: it is put aside, and returned. `NoLedgerError` is raised when the disk does not take that.
        """
        # read where nobody waits for it but the bank
        in_the_box = await self._books.ask(lambda _: editions_in_the_box())
        own = self._configured
        plain = own.plain or own
        # an owner's file with the name of an edition in the box replaces that edition and its variants
        others = [edition for edition in in_the_box if (edition.plain or edition).name != plain.name]
        self._editions = {edition.name: edition for edition in (own, *own.family(), *others)} | {own.name: own}
        self.mended = await self._books.ask(lambda ledger: ledger.book.mended) or self.mended
        try:
            await self._teller.catch_up(self._books)
            word = await self._books.ask(HostsWord.of)
            self.names.given, self._ended = word.names, word.ended
            return await self._go_on_or_begin()
        except Refusal as refusal:
            raise NoLedgerError(self._books.trouble or str(refusal), self._books.shown) from refusal

    async def _go_on_or_begin(self) -> Game | None:
        own = self._configured
        game = await self._books.ask(Ledger.game)
        named_before = await self._books.ask(lambda ledger: ledger.setting(CONFIGURED_EDITION))
        is_changed = named_before != own.name
        edition = game and self._editions.get(game.edition)
        if game and edition and (edition is own or not is_changed):
            self._go_on(game, edition, await self._books.ask(lambda ledger: Standing.of(ledger, game)))
            if is_changed:
                await self._books.ask(lambda ledger: ledger.set_setting(CONFIGURED_EDITION, own.name))
        else:
            await self._start_game(own, settings=[(CONFIGURED_EDITION, own.name)])
        return None if edition or is_changed else game

    async def start_game(self, edition: Edition) -> None:
        """Begin a game in which each card of the one before has the starting balance."""
        await self._start_game(edition)

    async def _start_game(self, edition: Edition, *, settings: Iterable[tuple[str, str]] = ()) -> None:
        cards = tuple(card for card in self.balances if card <= edition.players.most)
        at = self._calendar.now()
        game = await self._write(
            lambda ledger: ledger.new_game(
                edition.name,
                edition.start,
                at=at,
                cards=cards,
                largest=edition.money.largest,
                may_owe=edition.may_owe,
                settings=settings,
            )
        )
        self._game = game
        self.clock = None
        self.edition = edition
        self.balances.clear()
        self.retired.clear()
        self.pot = 0
        self.latest.clear()
        self._teller.started(game)
        for start in game.starts:
            self._tell(start)

    async def resume(self, game: Game) -> None:
        """Go on with a game that was put aside; the one that was on is kept."""
        edition = self._editions.get(game.edition)
        if edition is None:
            raise Refusal("no edition")
        at = self._calendar.now()

        def resumed(ledger: Ledger) -> tuple[Game, Standing]:
            # looked up first: when the disk has it that the game is on, nothing can fail any more
            standing = Standing.of(ledger, game)
            return ledger.resume(game.id, at=at, settings=NOT_ENDED), standing

        game, standing = await self._write(resumed)
        self._ended = None
        self._go_on(game, edition, standing)
        self._teller.resumed(game)

    async def kept_games(self) -> list[KeptGame]:
        """The games that were put aside, newest first."""
        return await self._books.ask(kept_games)

    def editions(self) -> list[Edition]:
        """The editions that a game can be begun in, each followed by its variants: the config's own comes first."""
        return list(self._editions.values())

    async def number(self, tag: str, known: tuple[str, ...]) -> int:
        """The number of the card *tag*."""
        players = self.edition.players.most
        number = await self._books.ask(lambda ledger: Deck(ledger.book).number(tag, known=known, players=players))
        if number is None:
            raise Refusal("unknown card")
        return number

    async def join(self, card: int) -> None:
        """Let *card* take part; one that is new to the game gets the starting balance."""
        game, at = self._on.id, self._calendar.now()
        start = await self._write(lambda ledger: ledger.join(game, card, at=at))
        if start:
            self._tell(start)

    async def pay(self, from_: int, to: int, amount: int, reason: str) -> Transfer:
        """Move *amount*, once."""
        game, press, at = self._on.id, self._press(), self._calendar.now()
        transfer = await self._write(
            lambda ledger: ledger.pay(game, from_, to, amount, reason=reason, press=press, at=at)
        )
        self._tell(transfer)
        return transfer

    async def bankrupt(self, card: int, creditor: int) -> Transfer | None:
        """Move all that *card* has to *creditor*, once, and let it retire; ``None`` when there was nothing to move."""
        game, press, at = self._on.id, self._press(), self._calendar.now()
        transfer = await self._write(lambda ledger: ledger.bankrupt(game, card, creditor, press=press, at=at))
        if transfer:
            self._tell(transfer)
        self.retired.add(card)
        return transfer

    async def readmit(self, card: int) -> None:
        """Let a card that went bankrupt play again, with what it had then."""
        game, press, at = self._on.id, self._press(), self._calendar.now()

        def readmitted(ledger: Ledger) -> Transfer | None:
            last = ledger.transfers_of(game, card, 1)[0]
            # a card without money has retired without a transfer
            if last.reason == "bankrupt" and _bankrupt_in(last) == card:
                return ledger.undo(last.id, press=press, at=at)
            ledger.readmit(game, card)
            return None

        transfer = await self._write(readmitted)
        self.retired.discard(card)
        if transfer:
            self._tell(transfer)

    async def undo(self, number: int | None = None) -> Transfer:
        """Take back transfer *number* of this game, or the last that can be; returns its opposite."""
        game, press, at = self._on.id, self._press(), self._calendar.now()

        def taken_back(ledger: Ledger) -> tuple[Transfer, Transfer]:
            if number is not None and (why := why_it_stands(ledger, number, game)):
                raise Refusal("nothing to undo", why)
            wrong = ledger.last_to_undo(game) if number is None else ledger.transfer(number)
            if wrong is None:
                raise Refusal("nothing to undo")
            return wrong, ledger.undo(wrong.id, press=press, at=at)

        wrong, transfer = await self._write(taken_back)
        if wrong.reason == "bankrupt":
            self.retired.discard(_bankrupt_in(wrong))
        self._tell(transfer)
        return transfer

    async def name(self, card: int, name: str) -> None:
        """Call who plays with *card* so from now on, in this game and the next ones; ``""``: as the config does."""
        await self._write(lambda ledger: keep_name(ledger, card, name))
        self.names.give(card, name)

    async def end(self, worths: Mapping[int, int]) -> EndedGame:
        """End the game that is on, with what everybody who is `playing` is worth. Nothing is booked.

        It is `ended` until something happens in it, or another game is on.
        """
        ended = EndedGame(self._on.id, self._last_transfer, worths)
        await self._write(lambda ledger: keep_ended(ledger, ended))
        self._ended = ended
        self._emit("game.ended", **ended.as_json(self.names, self.edition.money))
        return ended

    async def set_clock(self, minutes: int | None) -> None:
        """Let the game have so many minutes left; ``None``: it has no clock."""
        game = self._on.id
        await self._write(lambda ledger: keep_clock(ledger, game, minutes))
        self.clock = minutes
        self._emit("game.clock", minutes=minutes)

    async def count_down(self, *, keep: bool = True) -> None:
        """Take a minute from the clock, and at its end the clock itself. A disk that refuses does not stop it.

        Without *keep* the disk is left alone this time: one that fails would begin the unit again, and end a deal.
        """
        game, left = self._on.id, self.clock - 1 if self.clock else None
        self.clock = left
        if keep:
            with suppress(Refusal):
                await self._write(lambda ledger: keep_clock(ledger, game, left))

    async def history(self) -> str:
        """The past of the game that is on, as JSON; see `reboard.banker.history`."""
        game = self.game
        if game is None:
            return NO_HISTORY
        # one at a time: those who look must not fill the queue of those who pay
        async with self._looking_back:
            return await self._books.ask(lambda ledger: history(ledger, game))

    async def latest_of(self, card: int, limit: int) -> list[Transfer]:
        """The latest transfers to and from one card, newest first."""
        game = self._on.id
        return await self._books.ask(lambda ledger: ledger.transfers_of(game, card, limit))

    def close(self) -> None:
        """Nobody looks after the clock any more."""
        self._calendar.close()

    def _go_on(self, game: Game, edition: Edition, standing: Standing) -> None:
        self._game = game
        self.edition = edition
        self.balances = standing.balances
        self.retired = set(standing.retired)
        self.clock = standing.clock
        self.pot = standing.pot
        self.latest = deque(standing.latest, maxlen=REMEMBERED)
        self._calendar.go_on(standing.latest)

    async def _write(self, call: Callable[[Ledger], T]) -> T:
        try:
            result = await self._books.ask(call)
        except ReboardError as error:
            if isinstance(error, Refusal) and error.why == "disk":
                await self._look_again()
            self.disk.tell(self._books.trouble)
            raise
        self.disk.tell(self._books.trouble)
        return result

    async def _look_again(self) -> None:
        """Make sure that the disk has not what it said it had not."""
        if self._game is None:
            return  # nothing was told, and the next opening looks

        def looked_up(ledger: Ledger) -> tuple[Game | None, Standing | None, HostsWord]:
            game = ledger.game()
            return game, Standing.of(ledger, game) if game else None, HostsWord.of(ledger)

        game, standing, word = await self._books.ask(looked_up)
        is_known = (game and game.id) == self.game and word == HostsWord(self.names.given, self._ended)
        if not is_known or not (standing is None or self._is_known(standing)):
            raise ReboardError("the disk has what it said it had not saved: the banker unit begins anew with that")
        self._books.nothing_was_saved()

    def _is_known(self, standing: Standing) -> bool:
        is_known = standing.balances == self.balances and set(standing.retired) == self.retired
        return is_known and standing.pot == self.pot

    @property
    def _on(self) -> Game:
        if self._game is None:
            raise ReboardError("no game is on")
        return self._game

    @property
    def _last_transfer(self) -> int:
        return self.latest[0].id if self.latest else 0

    def _press(self) -> str:
        """A name that no press before this one has had.

        The last transfer is in it because randomness alone may come again: a machine that is put back to an earlier
        moment draws what it drew then, and would have its press taken for one that is in the books.
        """
        return f"{self._run}-{self.game}-{self._last_transfer}-{next(self._numbers)}"

    def _tell(self, transfer: Transfer) -> None:
        for card, change in ((transfer.from_, -transfer.amount), (transfer.to, transfer.amount)):
            if card == POT:
                self.pot += change
            elif card != BANK:
                self.balances[card] = self.balances.get(card, 0) + change
        self.latest.appendleft(transfer)
        self._calendar.moved(transfer)
        self._teller.moved(transfer)


def _bankrupt_in(transfer: Transfer) -> int:
    """The card that went bankrupt by *transfer*: it pays all it has, or is paid what it owes."""
    return transfer.from_ or transfer.to
