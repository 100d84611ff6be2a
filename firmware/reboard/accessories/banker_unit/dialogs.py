"""The dialogs: menu, choosers for kept games, editions and clock lengths, bankruptcy, final count, ranking."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import inf
from typing import TYPE_CHECKING, ClassVar

from reboard.accessories.banker_unit.game_records import CLOCK_LENGTHS_MIN, KeptGame, ranking
from reboard.accessories.banker_unit.schema import BANK
from reboard.accessories.banker_unit.texts import Text, Texts
from reboard.accessories.banker_unit.unit_state import (
    Effects,
    GameView,
    Lines,
    Notice,
    Retirement,
    UnitState,
    another_game,
)
from reboard.board import COLUMNS
from reboard.errors import REJECTIONS, Rejection

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.game_session import GameSession
    from reboard.editions.edition import Edition

PATIENCE_S = 20.0
"""The time without a key or card after which most dialogs close, in seconds."""

COUNT_PATIENCE_S = 600.0
"""The time without a key or card after which the final count and the ranking close, in seconds.

It is long because the players add up deeds and houses between two cards."""

ANSWER_S = 5.0
"""The time within which a second ``C`` closes a final count with added amounts, in seconds."""

Choose = Callable[[UnitState, "GameSession"], Awaitable[Effects]]


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice in a chooser: the function that returns its two lines, and the function that carries it out."""

    shown: Callable[[Texts], Lines]
    choose: Choose


@dataclass(frozen=True, slots=True)
class Chooser:
    """A dialog that lists choices. ``GO`` shows the next one, ``M`` selects the shown one, and ``C`` closes the dialog.

    *has_numbers* is whether a digit selects the choice with that number.
    """

    name: ClassVar[str] = "menu"
    choices: Sequence[Choice]
    at: int = 0
    has_numbers: bool = False

    @property
    def patience_s(self) -> float:
        return PATIENCE_S

    def lines(self, state: UnitState, game: GameView, texts: Texts) -> Lines:
        return self.choices[self.at].shown(texts)

    async def key(self, key: str, state: UnitState, session: GameSession) -> Effects:
        if key == "C":
            return Effects(replace(state, dialog=None))
        if key == "GO":
            return Effects(replace(state, dialog=replace(self, at=(self.at + 1) % len(self.choices))))
        if key == "M":
            return await self._take(self.at, state, session)
        if self.has_numbers and key in "123456789"[: len(self.choices)]:
            return await self._take(int(key) - 1, state, session)
        raise Rejection("dialog")

    async def _take(self, at: int, state: UnitState, session: GameSession) -> Effects:
        try:
            return await self.choices[at].choose(state, session)
        except Rejection as rejection:
            return Effects(replace(state, dialog=replace(self, at=at)), rejection=rejection)


def menu(*entries: tuple[Text, Choose]) -> Chooser:
    """Return a numbered menu of *entries*. Each entry has a title and a function that opens its dialog."""

    def choice(number: int, title: Text, choose: Choose) -> Choice:
        return Choice(lambda texts: (f"{number} {texts(title)}", texts(Text.MENU_KEYS)), choose)

    return Chooser([choice(number, *entry) for number, entry in enumerate(entries, 1)], has_numbers=True)


async def kept_game(state: UnitState, session: GameSession) -> Effects:
    """Open the chooser for kept games, newest first. Raises `Rejection` if there are none."""
    games = await session.kept_games()
    if not games:
        raise Rejection("no other game")
    return Effects(replace(state, dialog=Chooser([_resume(kept) for kept in games])))


def _resume(kept: KeptGame) -> Choice:
    def shown(texts: Texts) -> Lines:
        started = datetime.fromtimestamp(kept.game.started_at).strftime(texts(Text.WHEN))
        players = " " + texts(Text.PLAYERS, number=kept.players)
        return f"{kept.game.id} {kept.game.edition.upper()}"[: COLUMNS - len(players)] + players, started

    async def choose(state: UnitState, session: GameSession) -> Effects:
        if state.taken:
            raise Rejection("cards in")
        await session.resume(kept.game)
        return another_game(state, Notice(Text.GAME, {"number": kept.game.id}))

    return Choice(shown, choose)


async def another_edition(state: UnitState, session: GameSession) -> Effects:
    """Open the chooser for the edition of a new game."""
    return Effects(replace(state, dialog=Chooser([_start(edition) for edition in session.editions()])))


def _start(edition: Edition) -> Choice:
    async def choose(state: UnitState, session: GameSession) -> Effects:
        if state.taken:
            raise Rejection("cards in")
        await session.start_game(edition)
        return another_game(state, Notice(Text.NEW_GAME))

    return Choice(lambda texts: (edition.short_title.upper(), texts(Text.MENU_KEYS)), choose)


async def clock_length(state: UnitState, session: GameSession) -> Effects:
    """Open the chooser for the length of the game clock. If the clock is set, show the minutes that are left."""
    choices = [_set_clock(minutes) for minutes in (*CLOCK_LENGTHS_MIN, None)]
    left = None if session.clock is None else Notice(Text.MINUTES_LEFT, {"minutes": session.clock})
    return Effects(replace(state, dialog=Chooser(choices)), notice=left)


def _set_clock(minutes: int | None) -> Choice:
    notice = Notice(Text.CLOCK_OFF) if minutes is None else Notice(Text.CLOCK_MINUTES, {"minutes": minutes})

    async def choose(state: UnitState, session: GameSession) -> Effects:
        await session.set_clock(minutes)
        return Effects(replace(state, dialog=None), sound="key", notice=notice)

    return Choice(lambda texts: (texts(notice.text, **notice.values), texts(Text.MENU_KEYS)), choose)


@dataclass(frozen=True, slots=True)
class Bankruptcy:
    """The dialog that makes the card in the right slot bankrupt, or returns a bankrupt card to the game.

    ``M`` confirms, and ``C`` closes the dialog. An ``M`` directly after a digit or point is rejected, because it may
    be meant to enter an amount. The money goes to the card in the left slot, or else to the bank. If the balance is
    negative, the bank pays the debt. A bankruptcy can end the game. ``C`` can undo the bankruptcy while the card is in
    its slot. A card that returns gets its money back. The return is rejected if the creditor has spent the money.
    """

    name: ClassVar[str] = "bankruptcy"
    is_amount: bool = False

    @classmethod
    async def open(cls, state: UnitState, session: GameSession) -> Effects:
        """Open the dialog."""
        return Effects(replace(state, dialog=cls()))

    @property
    def patience_s(self) -> float:
        return PATIENCE_S

    def lines(self, state: UnitState, game: GameView, texts: Texts) -> Lines:
        card = state.number("right")
        if card is None:
            return texts(Text.BANKRUPTCY), texts(Text.CARD_TO_RIGHT)
        first = f"-{card} {game.shown(game.balances[card])}"
        if card in game.retired:
            return first, texts(Text.COME_BACK)
        if game.balances[card] < 0:
            return first, texts(Text.BANK_FORGIVES)
        creditor = state.number("left")
        if creditor is None:
            return first, texts(Text.ALL_TO_BANK)
        named = texts(Text.ALL_TO, who=game.holder(creditor, texts))
        # half a name is enough in a ranking, but here money is given away
        if len(named) > COLUMNS:
            return first, texts(Text.ALL_TO, who=texts(Text.CARD, number=creditor))
        return first, named

    async def key(self, key: str, state: UnitState, session: GameSession) -> Effects:
        if key == "C":
            return Effects(replace(state, dialog=None))
        if key != "M" or self.is_amount:
            # a user who leans on GO and types 200M opens this dialog with the 2, and means no bankruptcy by the M
            dialog = replace(self, is_amount=key in "0123456789.")
            return Effects(replace(state, dialog=dialog), rejection=Rejection("dialog"))
        card = state.number("right")
        if card is None:
            raise Rejection("no card")
        state = replace(state, dialog=None)
        if card in session.retired:
            await session.readmit(card)
            return Effects(state, sound="undone", notice=Notice(Text.BACK_IN))
        transfer = await session.bankrupt(card, state.number("left") or BANK)
        done, state = state.taken, state.with_undoable(transfer or Retirement(card))
        if not session.is_over:
            return Effects(state, done=done, sound="paid", notice=Notice(REJECTIONS["bankrupt"].display))
        game_over = Notice(Text.GAME_OVER)
        if len(session.playing) > 1:
            # the final count finds the winner
            return Effects(replace(state, dialog=FinalCount()), done=done, sound="time_up", notice=game_over)
        sound = None
        # the bankruptcy is saved: a disk that refuses the end must not leave M: BACK IN on the display
        with suppress(Rejection):
            await session.end({card: session.balances[card] for card in session.playing})
            sound = "winner"
        return Effects(state, done=done, sound=sound, notice=game_over)


@dataclass(frozen=True, slots=True)
class FinalCount:
    """The dialog that adds the values of deeds and houses to the balances, and ends the game.

    An amount is added to the worth of the card in the slots, if there is only one. ``C`` clears the typed amount, or
    else removes the last amount of that card. If there is neither, ``C`` closes the dialog. If any card has an amount,
    only a second ``C`` within `ANSWER_S` closes it. ``GO`` ends the game and opens the `Ranking`. Bankrupt players do
    not count.
    """

    name: ClassVar[str] = "count"
    added: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    asked_at: float = -inf

    @classmethod
    async def open(cls, state: UnitState, session: GameSession) -> Effects:
        """Open the dialog. If the edition counts houses in a hotel's value, show a reminder of that."""
        houses = session.edition.hotel_houses
        notice = Notice(Text.HOTEL_COUNTS, {"houses": houses}) if houses else None
        return Effects(replace(state, dialog=cls()), notice=notice)

    @property
    def patience_s(self) -> float:
        return COUNT_PATIENCE_S

    def lines(self, state: UnitState, game: GameView, texts: Texts) -> Lines:
        card = state.alone
        if card is None:
            what = REJECTIONS["two cards"].display if state.taken else Text.INSERT_CARD
            return texts(Text.FINAL_COUNT), texts(what)
        added = self.added.get(card)
        last = state.entry.text or (game.shown(added[-1]) if added else "")
        return f"{card} {game.shown(self._worth(card, game.balances))}", f"+ {last}".rstrip().rjust(COLUMNS)

    async def key(self, key: str, state: UnitState, session: GameSession) -> Effects:
        card, entry = state.alone, state.entry
        state = replace(state, dialog=replace(self, asked_at=-inf))
        try:
            if key == "GO":
                state = state.with_entry(entry.cleared())
                return await self._end(state, session)
            if key == "C":
                return self._take_back(card, state)
            if key == "DEAL":
                raise Rejection("dialog")
            if card is None:
                raise Rejection("two cards" if state.taken else "no card")
            if key not in session.edition.money.entering_keys:
                return Effects(state.with_entry(entry.type(key)), sound="key")
            state = state.with_entry(entry.cleared())
            added = (*self.added.get(card, ()), self._amount(entry.amount(key, session.edition.money), card, session))
            return Effects(self._with_added(card, added, state), sound="received")
        except Rejection as rejection:
            return Effects(state, rejection=rejection)

    def worths(self, game: GameView) -> dict[int, int]:
        """Return the balance plus the added amounts of each player who is not bankrupt."""
        return {card: self._worth(card, game.balances) for card in game.playing}

    async def _end(self, state: UnitState, session: GameSession) -> Effects:
        """Show the ranking. End the game first, unless it has already ended with the same worths."""
        worths = self.worths(GameView.of(session))
        if not worths:
            raise Rejection("no card")
        sound = None
        if not session.ended or session.ended.worths != worths:
            await session.end(worths)
            sound = "winner"
        return Effects(replace(state, dialog=Ranking(replace(self, asked_at=-inf))), sound=sound)

    def _amount(self, amount: int, card: int, session: GameSession) -> int:
        if card in session.retired:
            raise Rejection("bankrupt")
        if self._worth(card, session.balances) + amount > session.edition.money.largest:
            raise Rejection("too much")
        return amount

    def _take_back(self, card: int | None, state: UnitState) -> Effects:
        now = asyncio.get_running_loop().time()
        added = self.added.get(card or 0)
        if state.entry.text or state.entry.is_torn:
            return Effects(state.with_entry(state.entry.cleared()), sound="undone")
        if card and added:
            return Effects(self._with_added(card, added[:-1], state), sound="undone")
        if any(self.added.values()) and now >= self.asked_at + ANSWER_S:
            return Effects(replace(state, dialog=replace(self, asked_at=now)), notice=Notice(Text.COUNT_ENDS))
        return Effects(replace(state, dialog=None))

    def _with_added(self, card: int, amounts: tuple[int, ...], state: UnitState) -> UnitState:
        return replace(state, dialog=replace(self, added={**self.added, card: amounts}, asked_at=-inf))

    def _worth(self, card: int, balances: Mapping[int, int]) -> int:
        return balances[card] + sum(self.added.get(card, ()))


@dataclass(frozen=True, slots=True)
class Ranking:
    """A dialog that shows one player at a time, in the order of the ranking.

    ``GO`` shows the next player, and ``C`` returns to the final count.
    """

    name: ClassVar[str] = "ranking"
    count: FinalCount
    at: int = 0

    @property
    def patience_s(self) -> float:
        return COUNT_PATIENCE_S

    def lines(self, state: UnitState, game: GameView, texts: Texts) -> Lines:
        ranked = ranking(self.count.worths(game))
        best = ranked[self.at % len(ranked)]
        return f"{best.place}. {game.holder(best.card, texts)}", game.shown(best.worth).rjust(COLUMNS)

    async def key(self, key: str, state: UnitState, session: GameSession) -> Effects:
        if key == "C":
            return Effects(replace(state, dialog=self.count))
        if key == "GO":
            return Effects(replace(state, dialog=replace(self, at=self.at + 1)))
        raise Rejection("dialog")


MENU = menu(
    (Text.FINAL_COUNT, FinalCount.open),
    (Text.BANKRUPTCY, Bankruptcy.open),
    (Text.OTHER_GAME, kept_game),
    (Text.NEW_EDITION, another_edition),
    (Text.GAME_CLOCK, clock_length),
)
