"""An accessory whose behaviour is one coroutine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Generic, TypeVar

from reboard.accessories.accessory import Accessory, Devices, RunningAccessory, TableContext
from reboard.devices.readers.reader import Reception
from reboard.devices.speaker import Speaker
from reboard.errors import ReboardError, RequestError
from reboard.events import Emit
from reboard.vocabulary.declared import Request

C = TypeVar("C")


class Game(RunningAccessory, Generic[C]):
    """A running `GameAccessory`, which its coroutine `GameAccessory.play` gets.

    `state` is the accessory's part of the snapshot: a dictionary of values that can be encoded as JSON. The page shows
    it, and plays check it.
    """

    def __init__(self, accessory: GameAccessory[C], config: C, devices: Devices, context: TableContext) -> None:
        self.config = config
        """The section of the config file."""
        self.devices = devices
        self.state: dict[str, Any] = {}
        self.context = context
        """The table: its board, times and requests to other accessories."""
        self.speaker: Speaker = context.speaker
        self.emit: Emit = context.emit
        self.book = context.book
        self.random: Random = context.randomness(accessory.name)
        self.has_fault = asyncio.Event()
        """Set while a device of the table has a fault."""
        self._accessory = accessory

    async def run(self, started: Callable[[], None]) -> None:
        started()
        await self._accessory.play(self)
        module = type(self._accessory).__module__
        raise ReboardError(f"play() returned ({module}): it must wait until it is cancelled")

    def snapshot(self) -> Mapping[str, object]:
        return {self._accessory.name: self.state}

    async def request(self, request: Request) -> object:
        return await self._accessory.answer(self, request)

    @property
    def readers(self) -> Mapping[str, Reception]:
        heard = {noun: getattr(driver, "heard", None) for noun, driver in vars(self.devices).items()}
        return {f"{self._accessory.name}.{noun}": each for noun, each in heard.items() if isinstance(each, Reception)}

    def show_fault(self, part: str | None) -> None:
        (self.has_fault.clear if part is None else self.has_fault.set)()


class GameAccessory(Accessory[C]):
    """An accessory whose behaviour is the coroutine `play`. A subclass has `name`, `title`, `section` and `fitted`.

    A table can run several instances of its game one after the other, so keep the state in the `Game`, not in ``self``.
    """

    async def play(self, game: Game[C]) -> None:
        """Play until cancelled. If `play` returns or fails, the table reports a fault and calls it again."""
        raise NotImplementedError(f"{type(self).__name__} needs a coroutine play()")

    async def answer(self, game: Game[C], request: Request) -> object:
        """Carry out a *request* that the vocabulary declares, and return its answer.

        The answer has values that can be encoded as JSON. Raises `ReboardError`, such as `RequestError`.
        """
        raise RequestError(f"no method of the accessory carries out the request {request.do!r}")

    def running(self, config: C, devices: Devices, context: TableContext) -> Game[C]:
        return Game(self, config, devices, context)
