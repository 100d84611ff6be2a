"""The dialogs that choose from a list: the menu, a kept game, an edition, the length of the game clock."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from reboard.accessories.banker_unit.game_records import CLOCK_LENGTHS_MIN, KeptGame
from reboard.accessories.banker_unit.game_session import GameSession
from reboard.accessories.banker_unit.texts import Text, Texts
from reboard.accessories.banker_unit.unit_state import Effects, GameView, Lines, Notice, UnitState, another_game
from reboard.editions.edition import DISPLAY_WIDTH, Edition
from reboard.errors import Rejection

PATIENCE_S = 20.0
"""The time after which most dialogs close without a key or card."""

Choose = Callable[[UnitState, GameSession], Awaitable[Effects]]


@dataclass(frozen=True, slots=True)
class Choice:
    """An entry of a chooser: its text on the display, and its effect."""

    shown: Callable[[Texts], Lines]
    choose: Choose


@dataclass(frozen=True, slots=True)
class Chooser:
    """``GO`` shows the next choice, ``M`` takes it, ``C`` leaves. *has_numbers*: a digit takes the choice at once."""

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
    """Return the menu of *entries*, each a title and what opens it."""

    def choice(number: int, title: Text, choose: Choose) -> Choice:
        return Choice(lambda texts: (f"{number} {texts(title)}", texts(Text.MENU_KEYS)), choose)

    return Chooser([choice(number, *entry) for number, entry in enumerate(entries, 1)], has_numbers=True)


async def kept_game(state: UnitState, session: GameSession) -> Effects:
    """Open the chooser of kept games, newest first. Raises `Rejection` if there is none."""
    games = await session.kept_games()
    if not games:
        raise Rejection("no other game")
    return Effects(replace(state, dialog=Chooser([_resume(kept) for kept in games])))


def _resume(kept: KeptGame) -> Choice:
    def shown(texts: Texts) -> Lines:
        started = datetime.fromtimestamp(kept.game.started_at).strftime(texts(Text.WHEN))
        players = " " + texts(Text.PLAYERS, number=kept.players)
        return f"{kept.game.id} {kept.game.edition.upper()}"[: DISPLAY_WIDTH - len(players)] + players, started

    async def choose(state: UnitState, session: GameSession) -> Effects:
        if state.taken:
            raise Rejection("cards in")
        await session.resume(kept.game)
        return another_game(state, Notice(Text.GAME, {"number": kept.game.id}))

    return Choice(shown, choose)


async def another_edition(state: UnitState, session: GameSession) -> Effects:
    """Open the chooser of editions for a new game."""
    return Effects(replace(state, dialog=Chooser([_start(edition) for edition in session.editions()])))


def _start(edition: Edition) -> Choice:
    async def choose(state: UnitState, session: GameSession) -> Effects:
        if state.taken:
            raise Rejection("cards in")
        await session.start_game(edition)
        return another_game(state, Notice(Text.NEW_GAME))

    return Choice(lambda texts: (edition.short_title.upper(), texts(Text.MENU_KEYS)), choose)


async def clock_length(state: UnitState, session: GameSession) -> Effects:
    """Open the chooser of lengths of the game clock, and show the minutes that are left."""
    choices = [_set_clock(minutes) for minutes in (*CLOCK_LENGTHS_MIN, None)]
    left = None if session.clock is None else Notice(Text.MINUTES_LEFT, {"minutes": session.clock})
    return Effects(replace(state, dialog=Chooser(choices)), notice=left)


def _set_clock(minutes: int | None) -> Choice:
    notice = Notice(Text.CLOCK_OFF) if minutes is None else Notice(Text.CLOCK_MINUTES, {"minutes": minutes})

    async def choose(state: UnitState, session: GameSession) -> Effects:
        await session.set_clock(minutes)
        return Effects(replace(state, dialog=None), sound="key", notice=notice)

    return Choice(lambda texts: (texts(notice.text, **notice.values), texts(Text.MENU_KEYS)), choose)
