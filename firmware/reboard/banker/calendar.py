"""The Pi's calendar: whether it can be right, by when money has moved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from reboard.banker.ledger import Transfer
from reboard.events import Emit
from reboard.trouble import Trouble

A_DAY_S = 86_400.0
"""A clock that is less behind is no matter: that of a Pi without a battery is, whenever the plug was pulled."""


class Calendar:
    """Looks whether *wall_time*, in seconds since 1970, is behind what the transfers of the game that is on say."""

    def __init__(self, wall_time: Callable[[], float], emit: Emit) -> None:
        self.now = wall_time
        self._trouble = Trouble("clock", emit)
        self._latest_at = 0.0

    def go_on(self, transfers: Iterable[Transfer]) -> None:
        """A game goes on whose latest *transfers* these are."""
        self._latest_at = max((transfer.at for transfer in transfers), default=0.0)
        self._look(self.now())

    def moved(self, transfer: Transfer) -> None:
        """Money has moved."""
        self._look(transfer.at)
        self._latest_at = max(self._latest_at, transfer.at)

    def close(self) -> None:
        """Nobody looks any more: what was wrong is to be found anew."""
        self._trouble.tell(None)

    def _look(self, now: float) -> None:
        is_behind = now < self._latest_at - A_DAY_S
        self._trouble.tell(
            f"the calendar says {_day(now)}, and money has moved on {_day(self._latest_at)}: it was set back. Only the "
            "times in the history are wrong: set it right with timedatectl"
            if is_behind
            else None
        )


def _day(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
