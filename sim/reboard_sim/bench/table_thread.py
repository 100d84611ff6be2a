"""A virtual table that runs by itself in a thread, at the pace of life, with a person's hands on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, BinaryIO

from reboard.banker.book import LEDGER_FILE
from reboard.loop_thread import LoopThread
from reboard_sim.bench.exports import EXPORTS, Write
from reboard_sim.bench.hands_on_table import Stop
from reboard_sim.bench.inside import InsideLook, Passed
from reboard_sim.bench.ledger_rows import last_rows
from reboard_sim.bench.looks import looks_of, wires_of
from reboard_sim.event_log import Told
from reboard_sim.play import CheckFailed, Player
from reboard_sim.play_language import FORMS, PlayError, parse_line
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop

LONGEST_DO_S = 600.0
"""How long the lines of one request may take."""


class TableThread:
    """What the bench shows and works: a `HandsOnTable`. Switched on from the start; `close` it at the end."""

    def __init__(self, scene: Scene, *, seed: int, pace: float = 1.0) -> None:
        self._thread = LoopThread(lambda: VirtualTimeLoop(pace))
        self._table = self._thread.call(_switched_on(scene, seed))
        self._last_player = Player(self._table)

    def table(self) -> dict[str, Any]:
        """The table's own snapshot, and the wires."""
        return self._thread.call(self._snapshot())

    def hardware(self) -> dict[str, Any]:
        """What the hardware looks like."""
        return self._thread.call(self._looks())

    def do(self, lines: list[str]) -> Future[None]:
        """Begin to carry out lines of a play, looking back as far as the lines would that were done before.

        Fails with `PlayError` when one cannot be carried out. Called off, what these lines hold is let go.
        """
        return asyncio.run_coroutine_threadsafe(self._do(lines), self._thread.loop)

    def subscribe_events(self, callback: Callable[[dict[str, Any]], None], /) -> Stop:
        """Call *callback*, in the table's thread, with every event from now on, its ``t`` as the table tells it."""

        def since_power_on(told: Told) -> None:
            callback({**told, "t": round(float(str(told["t"])) - self._table.switched_on_at, 6)})

        return self._table.log.listen(since_power_on)

    def subscribe_sound(self, callback: Callable[[float, bytes], None], /) -> Stop:
        """Call *callback*, in the table's thread, with every block that the sound card plays."""
        listeners = self._table.sound_card.on_block
        listeners.append(callback)
        return lambda: listeners.remove(callback)

    def look_inside(self) -> Callable[[], dict[str, Any] | None]:
        """Begin to look inside; each call of what is returned tells what passed since the call before."""
        look = InsideLook()

        async def take_in() -> Passed:
            return look.take_in(self._table, asyncio.get_running_loop().time())

        return lambda: look.told(self._thread.call(take_in()))

    def ledger(self) -> dict[str, Any]:
        """The ledger's last rows."""
        return last_rows(self._table.config.state.directory / LEDGER_FILE)

    def export(self, name: str, file: BinaryIO, /) -> None:
        """Write what is remembered, as one of `EXPORTS`."""

        async def remembered() -> Write:
            _, remember = EXPORTS[name]
            return remember(self._table, asyncio.get_running_loop().time())

        self._thread.call(remembered())(file)

    def vocabulary(self) -> Sequence[dict[str, str]]:
        """Every line that can be asked for."""
        return [{"usage": form.usage, "meaning": form.meaning} for form in FORMS]

    def close(self) -> None:
        """Pull the plug and end the thread."""
        try:
            self._thread.call(self._table.close())
        finally:
            self._thread.close()

    async def _do(self, lines: list[str]) -> None:
        parsed = [parse_line(text, number) for number, text in enumerate(lines, start=1)]
        player = Player(self._table, follows=self._last_player)
        try:
            async with asyncio.timeout(LONGEST_DO_S):
                await player.perform(line for line in parsed if line)
        except CheckFailed as failed:
            raise PlayError(failed.line, f"expected {failed.expected}; found {failed.found}") from None
        except TimeoutError:
            raise PlayError(len(lines), f"these lines take longer than {LONGEST_DO_S:.0f} s") from None
        finally:
            self._last_player = player

    async def _snapshot(self) -> dict[str, Any]:
        return {**self._table.snapshot(), "powered": self._table.is_on, "pins": wires_of(self._table)}

    async def _looks(self) -> dict[str, Any]:
        return looks_of(self._table, asyncio.get_running_loop().time())


async def _switched_on(scene: Scene, seed: int) -> VirtualTable:
    table = VirtualTable(scene, seed=seed)
    await table.power_on()
    return table
