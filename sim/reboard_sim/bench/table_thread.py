"""A virtual table that runs by itself in a thread, at a pace that can be chosen, with a person's hands on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, BinaryIO

from reboard.banker.book import LEDGER_FILE
from reboard.loop_thread import LoopThread
from reboard_sim.bench.exports import EXPORTS, Write
from reboard_sim.bench.hands_on_table import Stop
from reboard_sim.bench.inside import InsideLook, Passed
from reboard_sim.bench.ledger_rows import last_rows
from reboard_sim.bench.looks import looks_of, wires_of
from reboard_sim.bench.pace import Pace, Pacing
from reboard_sim.bench.scene_wish import NONE, READERS, SceneWish
from reboard_sim.bench.stage import Stage
from reboard_sim.play_language import FORMS
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop


class TableThread:
    """What the bench shows and works: a `HandsOnTable`. Switched on from the start; `close` it at the end.

    *door* is where the table has its door, as on a real Pi, while it is on.
    """

    def __init__(self, scene: Scene, *, seed: int, pace: Pace = 1, door: Path | None = None) -> None:
        loop = VirtualTimeLoop(pace=0)
        self._thread = LoopThread(lambda: loop)
        self._pacing = Pacing(loop, lambda: self._stage.is_held, pace)
        self._stage = Stage(scene, seed=seed, pacing=self._pacing, door=door)
        self._thread.call(self._stage.begin())

    def table(self) -> dict[str, Any]:
        """The table's own snapshot, and the wires."""
        return self._thread.call(self._snapshot())

    def hardware(self) -> dict[str, Any]:
        """What the hardware looks like."""
        return self._thread.call(self._looks())

    def do(self, lines: list[str], hand: str = "") -> Future[bool]:
        """Begin to carry out lines of a play, looking back as far as the lines would that were done before.

        What is asked of one *hand* is done in turn, what is asked of none at once. True when all is done; false when
        the clock stands, and they are to be done as soon as it goes on. Fails with `PlayError` when one cannot be
        carried out, with `TooManyWaitingError` and with `SetAnewError`. Called off, what these lines hold is let go.
        """
        return asyncio.run_coroutine_threadsafe(self._stage.do(lines, hand), self._thread.loop)

    def choose_pace(self, pace: Pace) -> Future[None]:
        """Let the clock go on at *pace*."""
        return asyncio.run_coroutine_threadsafe(self._choose_pace(pace), self._thread.loop)

    def step(self) -> Future[None]:
        """Let the clock stand but for going on, at once, until an event is told or a wire changes; 60 s at the most."""
        return asyncio.run_coroutine_threadsafe(self._pacing.step(), self._thread.loop)

    def scene(self) -> dict[str, Any]:
        """What the table is made from, and from what else one can be made."""
        return self._thread.call(self._scene())

    def set_scene(self, wish: SceneWish, seed: int, lines: list[str]) -> Future[None]:
        """Take the table away and set another one, with an empty ledger; do *lines* at it at once; go on as in life.

        Fails with `ConfigError` or `PlayError`, and the table is as it was, with `AtNewTableError` or `SetAnewError`.
        """
        return asyncio.run_coroutine_threadsafe(self._stage.set_anew(wish, seed, lines), self._thread.loop)

    def subscribe_events(self, callback: Callable[[dict[str, Any]], None], /) -> Stop:
        """Call *callback*, in the table's thread, with every event from now on, its ``t`` as the table tells it."""
        self._stage.on_event.append(callback)
        return lambda: self._stage.on_event.remove(callback)

    def subscribe_sound(self, callback: Callable[[float, bytes], None], /) -> Stop:
        """Call *callback*, in the table's thread, with every block that can be heard: at the pace of life."""
        self._stage.on_sound.append(callback)
        return lambda: self._stage.on_sound.remove(callback)

    def subscribe_refusals(self, callback: Callable[[str], None], /) -> Stop:
        """Call *callback*, in the table's thread, with why something could not be done that was answered before."""
        self._stage.on_refusal.append(callback)
        return lambda: self._stage.on_refusal.remove(callback)

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
            self._thread.call(self._stage.put_away())
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
            **stage.wish.as_json(),
            "seed": stage.seed,
            "lasts_s": round(asyncio.get_running_loop().time() - self._table.made_at, 3),
            "given": stage.given.name if stage.given else None,
            "readers": [*READERS, NONE],
            "wired": stage.wired,
        }
