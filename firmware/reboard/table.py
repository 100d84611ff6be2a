"""A table: the accessories of one config, run side by side, each supervised on its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import closing
from random import Random, SystemRandom
from typing import Any

from reboard import build
from reboard.banker.unit import BankerUnit
from reboard.board import Board
from reboard.config import TableConfig
from reboard.edition import load_edition
from reboard.errors import ReboardError
from reboard.events import Event, Events
from reboard.parts.speaker import Speaker
from reboard.question_block import QuestionBlock
from reboard.supervise import supervised
from reboard.worm_apple import WormApple

log = logging.getLogger(__name__)


class RequestError(ReboardError, ValueError):
    """A request that this table cannot carry out; the text says why."""


def system_randomness(_: str) -> Random:
    """The machine's own randomness, for every use alike: what a table that is played on draws from."""
    return SystemRandom()


class Table:
    """One running reboard: made from a config on a board, and run until it is cancelled.

    *randomness* gives the random numbers for a use (``"block"``, ``"deal"``); a play gives seeded ones.

    `ready` is set when every accessory has been started once. An accessory that could not be built is a fault like
    any other: the rest of the table plays, and it is tried again.
    """

    def __init__(
        self, config: TableConfig, board: Board, *, randomness: Callable[[str], Random] = system_randomness
    ) -> None:
        self.config = config
        self.edition = load_edition(config.edition)
        self.events = Events(asyncio.get_running_loop().time)
        self.ready = asyncio.Event()
        self.faults: dict[str, str] = {}
        self.block: QuestionBlock | None = None
        self.apple: WormApple | None = None
        self.bank: BankerUnit | None = None
        self._board = board
        self._randomness = randomness
        self._starting: set[str] = set()
        self.events.listen(self._keep_faults)

    async def run(self) -> None:
        """Play until cancelled; every part is given back on the way out, the motor off."""
        with closing(build.speaker(self.config.speaker, self._board, self.events.emit)) as speaker:
            self.speaker = speaker
            async with asyncio.TaskGroup() as stories:
                for name, story in self._stories().items():
                    self._starting.add(name)
                    stories.create_task(supervised(name, story, self.events.emit), name=name)
                if not self._starting:
                    self.ready.set()
                    log.warning("no accessory stands in the config: the table has nothing to play")
                    await asyncio.Event().wait()

    def _stories(self) -> dict[str, Callable[[], Coroutine[Any, Any, None]]]:
        stories: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {}
        if self.config.block:
            stories["block"] = self._play_block
        if self.config.apple:
            stories["apple"] = self._play_apple
        if self.config.bank:
            stories["bank"] = self._play_bank
        return stories
