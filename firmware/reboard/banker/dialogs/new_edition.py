"""A new game in another edition than the one before."""

from __future__ import annotations

from reboard.banker.desk import Desk
from reboard.banker.dialogs.dialog import PATIENCE_S, Dialog
from reboard.banker.texts import Text
from reboard.refusal import Refusal


class NewEdition:
    """The editions in the box and the config's own: ``GO`` goes on to the next, ``M`` begins a game, ``C`` leaves."""

    patience_s = PATIENCE_S

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._editions = desk.till.editions()
        self._at = 0

    @classmethod
    async def open(cls, desk: Desk) -> Dialog:
        """Begin with the first one."""
        return cls(desk)

    def lines(self) -> tuple[str, str]:
        """See `Dialog`."""
        return self._editions[self._at].short_title.upper(), self._desk.texts(Text.MENU_KEYS)

    async def key(self, key: str) -> Dialog | None:
        """See `Dialog`."""
        if key == "C":
            return None
        if key == "GO":
            self._at = (self._at + 1) % len(self._editions)
        elif key == "M":
            if self._desk.seats.taken:
                raise Refusal("cards in")
            await self._desk.till.start_game(self._editions[self._at])
            self._desk.begun(self._desk.texts(Text.NEW_GAME))
            return None
        else:
            raise Refusal("dialog")
        return self
