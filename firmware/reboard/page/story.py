"""The game so far, as its chart needs it: what each card had at first, and every transfer since."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reboard.door.client import DoorClient

NO_PLAYERS = (0, 9)
"""The accounts of the bank and the Free Parking pot."""
MOST_TRANSFERS = 2000
"""What lies further back is not drawn; the ledger has it."""

Transfer = Mapping[str, Any]
"""As the snapshot has it."""


@dataclass(frozen=True, slots=True)
class Story:
    """One game: what each card had *before* the *transfers*, which are the latest ones, oldest first."""

    game: int
    before: Mapping[int, int]
    transfers: tuple[Transfer, ...]

    @property
    def last(self) -> int:
        """The number of the last transfer; 0 when there is none."""
        return int(self.transfers[-1]["id"]) if self.transfers else 0

    def followed_by(self, latest: Sequence[Transfer]) -> Story | None:
        """This story with those of the *latest* transfers (oldest first) that it lacks; `None`: some are missing."""
        if not latest or latest[-1]["id"] <= self.last:
            return self
        new = [transfer for transfer in latest if transfer["id"] > self.last]
        if len(new) == len(latest):
            return None
        return Story(self.game, self.before, (*self.transfers, *new)).without_the_oldest()

    def without_the_oldest(self) -> Story:
        """This story with no more than `MOST_TRANSFERS`."""
        old, kept = self.transfers[:-MOST_TRANSFERS], self.transfers[-MOST_TRANSFERS:]
        before = dict(self.before)
        for transfer in old:
            before.update(after(transfer, before))
        return Story(self.game, before, kept)


def after(transfer: Transfer, balances: Mapping[int, int]) -> list[tuple[int, int]]:
    """What the cards have after *transfer*, those that it touched, when they had *balances* before."""
    amount = transfer["amount"]
    changes = ((transfer["from"], -amount), (transfer["to"], amount))
    return [(card, balances.get(card, 0) + change) for card, change in changes if card not in NO_PLAYERS]


class Storyteller:
    """Knows the story of the game that is on: asks the table's door once, and then follows what it is told."""

    def __init__(self, door: Path) -> None:
        self._door = door
        self._story: Story | None = None
        self._asking: asyncio.Task[Story | None] | None = None
        self._heard: Mapping[str, Any] = {}

    def forget(self) -> None:
        """The table may be another one now."""
        self._story = None

    def hear(self, snapshot: Mapping[str, Any]) -> None:
        """Go on with what the table told of itself."""
        self._heard = snapshot
        story = self._story
        if story:
            is_on = story.game == snapshot.get("game")
            self._story = story.followed_by(snapshot["transfers"][::-1]) if is_on else None

    async def story(self) -> Story | None:
        """The game so far, asked for once however many want it; `None` when no game is on.

        Raises `DoorError` when the table is away, and `ReboardError` when it has no book to look into.
        """
        if self._story:
            return self._story
        if self._asking is None:
            self._asking = asyncio.create_task(self._asked())
            self._asking.add_done_callback(self._answered)
        return await asyncio.shield(self._asking)

    async def _asked(self) -> Story | None:
        async with await DoorClient.connect(self._door) as table:
            told = await table.request("history")
        if told["game"] is None:
            return None
        before = {int(card): balance for card, balance in told["before"].items()}
        story = Story(told["game"], before, tuple(told["transfers"])).without_the_oldest()
        self._story = story
        self.hear(self._heard)  # meanwhile more may have happened
        return self._story or story

    def _answered(self, asking: asyncio.Task[Story | None]) -> None:
        self._asking = None
        if not asking.cancelled():
            asking.exception()  # whoever waited was told
