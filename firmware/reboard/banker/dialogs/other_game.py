"""Going on with a game that was put aside."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from reboard.banker.desk import Desk
from reboard.banker.dialogs.dialog import PATIENCE_S, Dialog
from reboard.banker.kept_games import KeptGame
from reboard.banker.texts import Text
from reboard.edition import DISPLAY_WIDTH
from reboard.refusal import Refusal


class OtherGame:
    """The games that were kept, newest first: ``GO`` goes on to the next, ``M`` goes on playing it, ``C`` leaves."""

    patience_s = PATIENCE_S

    def __init__(self, desk: Desk, games: Sequence[KeptGame]) -> None:
        self._desk = desk
        self._games = games
        self._at = 0

    @classmethod
    async def open(cls, desk: Desk) -> Dialog:
        """Look them up. Raises `Refusal` when there is none."""
        games = await desk.till.kept_games()
        if not games:
            raise Refusal("no other game")
        return cls(desk, games)

    def lines(self) -> tuple[str, str]:
        """See `Dialog`."""
        kept = self._games[self._at]
        begun = datetime.fromtimestamp(kept.game.started_at).strftime(self._desk.texts(Text.WHEN))
        players = " " + self._desk.texts(Text.PLAYERS, number=kept.players)
        return f"{kept.game.id} {kept.game.edition.upper()}"[: DISPLAY_WIDTH - len(players)] + players, begun

    async def key(self, key: str) -> Dialog | None:
        """See `Dialog`."""
        if key == "C":
            return None
        if key == "GO":
            self._at = (self._at + 1) % len(self._games)
        elif key == "M":
            if self._desk.seats.taken:
                raise Refusal("cards in")
            game = self._games[self._at].game
            await self._desk.till.resume(game)
            self._desk.begun(self._desk.texts(Text.GAME, number=game.id))
            return None
        else:
            raise Refusal("dialog")
        return self
