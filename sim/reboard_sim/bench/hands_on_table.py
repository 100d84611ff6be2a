"""What the bench needs of the table that it shows: to look at it, to work it, and to be told what happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, BinaryIO, Protocol

from reboard.errors import ReboardError
from reboard_sim.bench.pace import Pace
from reboard_sim.bench.scene_wish import SceneWish
from reboard_sim.play_language import PlayError


class TooManyWaitingError(ReboardError, RuntimeError):
    """So many requests wait to be done already that no other one is taken."""


class SetAnewError(ReboardError, RuntimeError):
    """The table that something was asked of has been taken away meanwhile."""

    def __init__(self) -> None:
        super().__init__("the table was set anew before this was done")


class AtNewTableError(PlayError):
    """A line that cannot be carried out at the table that was set anew for it, which stays."""


Stop = Callable[[], None]
"""Ends a subscription."""


class HandsOnTable(Protocol):
    """A table with a person's hands on it. Every method may be called from any thread."""

    def table(self) -> dict[str, Any]:
        """What the firmware knows: edition, game, display, cards, slots, block, deal, apple, pins …"""

    def hardware(self) -> dict[str, Any]:
        """What a person at the bench sees: lamp, motor, display dots, cards, keys down, lever, faults, the clock."""

    def do(self, lines: list[str], hand: str = "") -> Future[bool]:
        """Begin to do these lines of a play, after those that the same *hand* was given. `PlayError` names a line.

        False: the clock stands, and they are done when it goes on. Called off, what these lines hold is let go.
        `TooManyWaitingError`: not now. `SetAnewError`: the table is gone.
        """

    def choose_pace(self, pace: Pace) -> Future[None]:
        """Let the clock go on at *pace*."""

    def step(self) -> Future[None]:
        """Let the clock stand, but for going on to the next time that something happens."""

    def scene(self) -> dict[str, Any]:
        """What the table is made from: ``edition``, ``wiring``, ``left``, ``right``, ``seed``; and the choices."""

    def set_scene(self, wish: SceneWish, seed: int, lines: list[str]) -> Future[None]:
        """Set the table anew, with an empty ledger, and do *lines* at it at once.

        Fails with a `ReboardError`, and the table is as it was; `AtNewTableError`: but for a line, it is set anew;
        `SetAnewError`: by somebody else, too.
        """

    def subscribe_events(self, callback: Callable[[dict[str, Any]], None], /) -> Stop:
        """Call *callback* with every event from now on, in the table's thread."""

    def subscribe_sound(self, callback: Callable[[float, bytes], None], /) -> Stop:
        """Call *callback*, in the table's thread, with every block that the sound card plays and its time in s."""

    def subscribe_refusals(self, callback: Callable[[str], None], /) -> Stop:
        """Call *callback*, in the table's thread, with why lines could not be done for which `do` said false."""

    def look_inside(self) -> Callable[[], dict[str, Any] | None]:
        """Begin to look inside.

        Each call of what is returned tells what passed since the call before, at first what is remembered of the last
        minute; ``None`` when nothing did. Not to be called by two at a time.
        """

    def ledger(self) -> dict[str, Any]:
        """The ledger's last rows as they stand in its file: ``columns``, ``rows``, and the ``problem`` or ``None``.

        What the table does meanwhile does not wait for it.
        """

    def export(self, name: str, file: BinaryIO, /) -> None:
        """Write what is remembered, as one of `reboard_sim.bench.exports.EXPORTS`. The table does not wait for it."""

    def vocabulary(self) -> Sequence[dict[str, str]]:
        """Every act of the play language: its ``usage`` and its ``meaning``."""
