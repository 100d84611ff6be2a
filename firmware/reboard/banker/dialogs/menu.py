"""The menu: what there is beside paying."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from reboard.banker.desk import Desk
from reboard.banker.dialogs.bankruptcy import Bankruptcy
from reboard.banker.dialogs.dialog import PATIENCE_S, Dialog
from reboard.banker.dialogs.final_count import FinalCount
from reboard.banker.dialogs.new_edition import NewEdition
from reboard.banker.dialogs.other_game import OtherGame
from reboard.banker.dialogs.set_clock import SetClock
from reboard.banker.texts import Text
from reboard.refusal import Refusal

ENTRIES: tuple[tuple[Text, Callable[[Desk], Awaitable[Dialog]]], ...] = (
    (Text.FINAL_COUNT, FinalCount.open),
    (Text.BANKRUPTCY, Bankruptcy.open),
    (Text.OTHER_GAME, OtherGame.open),
    (Text.NEW_EDITION, NewEdition.open),
    (Text.GAME_CLOCK, SetClock.open),
)


class Menu:
    """``GO`` goes on to the next entry, ``M`` opens it, and so does its number; ``C`` leaves."""

    patience_s = PATIENCE_S

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._at = 0

    @classmethod
    async def open(cls, desk: Desk) -> Dialog:
        """Begin at the first entry."""
        return cls(desk)

    def lines(self) -> tuple[str, str]:
        """See `Dialog`."""
        text, _ = ENTRIES[self._at]
        return f"{self._at + 1} {self._desk.texts(text)}", self._desk.texts(Text.MENU_KEYS)

    async def key(self, key: str) -> Dialog | None:
        """See `Dialog`."""
        if key == "C":
            return None
        if key == "GO":
            self._at = (self._at + 1) % len(ENTRIES)
        elif key == "M":
            return await self._opened()
        elif key in "123456789"[: len(ENTRIES)]:
            self._at = int(key) - 1
            return await self._opened()
        else:
            raise Refusal("dialog")
        return self

    async def _opened(self) -> Dialog:
        _, opened = ENTRIES[self._at]
        return await opened(self._desk)
