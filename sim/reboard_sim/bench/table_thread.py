"""A virtual table that runs in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, BinaryIO

from reboard.accessories.banker_unit.database import LEDGER_FILE
from reboard.aiotools import LoopThread
from reboard_sim.bench.bench_acts import NONE, READERS, Setup, Stop
from reboard_sim.bench.looks import last_rows, looks_of, wires_of
from reboard_sim.bench.pace import Pace, Pacing
from reboard_sim.bench.pin_view import InsideLook, Passed
from reboard_sim.bench.stage import Stage
from reboard_sim.plays.play_language import FORMS
from reboard_sim.scene import Scene
from reboard_sim.session import EXPORTS, Write
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop


class TableThread:
    """The table of a bench, a `reboard_sim.bench.bench_acts.BenchTable`. Switched on at first; close it at the end.

    *socket* is the path of the table's control socket while it is on.
    """

    def __init__(self, scene: Scene, *, seed: int, pace: Pace = 1, socket: Path | None = None) -> None:
        loop = self._loop = VirtualTimeLoop(pace=0)
        self._thread = LoopThread(lambda: loop)
        self._pacing = Pacing(loop, lambda: self._stage.is_held, pace)
        self._stage = Stage(scene, seed=seed, pacing=self._pacing, socket=socket)
        self._thread.call(self._stage.begin())

    def table(self) -> dict[str, Any]:
        return self._thread.call(self._snapshot())

    def hardware(self) -> dict[str, Any]:
        return self._thread.call(self._looks())

    def do(self, lines: list[str], hand: str = "") -> Future[bool]:
        return asyncio.run_coroutine_threadsafe(self._stage.do(lines, hand), self._thread.loop)

    def choose_pace(self, pace: Pace) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(self._choose_pace(pace), self._thread.loop)

    def step(self) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(self._pacing.step(), self._thread.loop)

    def scene(self) -> dict[str, Any]:
        return self._thread.call(self._scene())

    def set_scene(self, setup: Setup, seed: int, lines: list[str]) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(self._stage.load(setup, seed, lines), self._thread.loop)

    def subscribe_events(self, callback: Callable[[dict[str, Any]], None], /) -> Stop:
        self._stage.on_event.append(callback)
        return lambda: self._stage.on_event.remove(callback)

    def subscribe_sound(self, callback: Callable[[float, bytes], None], /) -> Stop:
        self._stage.on_sound.append(callback)
        return lambda: self._stage.on_sound.remove(callback)

    def subscribe_refusals(self, callback: Callable[[str], None], /) -> Stop:
        self._stage.on_refusal.append(callback)
        return lambda: self._stage.on_refusal.remove(callback)

    def look_inside(self) -> Callable[[], dict[str, Any] | None]:
        look = InsideLook()

        async def collect() -> Passed:
            return look.collect(self._table, asyncio.get_running_loop().time())

        return lambda: look.as_json(self._thread.call(collect()))

    def ledger(self) -> dict[str, Any]:
        return last_rows(self._table.config.state.directory / LEDGER_FILE)

    def export(self, name: str, file: BinaryIO, /) -> None:
        async def content() -> Write:
            _, fix = EXPORTS[name]
            await self._loop.come_last()  # a play ends when its last instant is over
            return fix(self._table, self._loop.time())

        self._thread.call(content())(file)

    def vocabulary(self) -> Sequence[dict[str, str]]:
        return [{"usage": form.usage, "meaning": form.meaning} for form in FORMS]

    def close(self) -> None:
        """Cut the power and end the thread."""
        try:
            self._thread.call(self._stage.close())
        finally:
            self._thread.close()

    @property
    def _table(self) -> VirtualTable:
        return self._stage.table

    async def _choose_pace(self, pace: Pace) -> None:
        self._pacing.choose(pace)

    async def _snapshot(self) -> dict[str, Any]:
        return {**self._table.snapshot(), "powered": self._table.is_on, "pins": wires_of(self._table)}

    async def _looks(self) -> dict[str, Any]:
        looks = looks_of(self._table, asyncio.get_running_loop().time())
        recording = self._table.done
        return {
            **looks,
            "pace": "scene" if self._pacing.is_at_once else self._pacing.chosen,
            "rate": self._pacing.rate,
            "run": self._stage.run,
            "scene": self._stage.number,
            "recorded": {"acts": len(recording.acts), "full": recording.full_since is not None},
        }

    async def _scene(self) -> dict[str, Any]:
        stage = self._stage
        return {
            "run": stage.run,
            "number": stage.number,
            **stage.setup.as_json(),
            "seed": stage.seed,
            "lasts_s": round(asyncio.get_running_loop().time() - self._table.made_at, 3),
            "given": stage.given.name if stage.given else None,
            "readers": [*READERS, NONE],
            "wired": stage.wired,
        }
