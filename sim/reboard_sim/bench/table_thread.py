"""A virtual table that runs by itself in a thread, at a pace that can be chosen, with a person's hands on it."""

from __future__ import annotations

import asyncio
import logging
import shlex
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO
from weakref import WeakValueDictionary

from reboard.banker.book import LEDGER_FILE
from reboard.loop_thread import LoopThread
from reboard_sim.bench.exports import EXPORTS, Write
from reboard_sim.bench.hands_on_table import Stop
from reboard_sim.bench.inside import InsideLook, Passed
from reboard_sim.bench.ledger_rows import last_rows
from reboard_sim.bench.looks import looks_of, wires_of
from reboard_sim.bench.pace import Pace, Pacing
from reboard_sim.event_log import Told
from reboard_sim.hand_time import next_beat
from reboard_sim.play import CheckFailed, Player
from reboard_sim.play_language import FORMS, Line, PlayError, parse_line
from reboard_sim.scene import Scene
from reboard_sim.session import what_is_seen
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop

log = logging.getLogger(__name__)

LONGEST_DO_S = 600.0
"""How long the lines of one request may take."""


class TableThread:
    """What the bench shows and works: a `HandsOnTable`. Switched on from the start; `close` it at the end.

    *door* is where the table has its door, as on a real Pi, while it is on.
    """

    def __init__(self, scene: Scene, *, seed: int, pace: Pace = 1, door: Path | None = None) -> None:
        loop = VirtualTimeLoop(pace=0)
        self._thread = LoopThread(lambda: loop)
        self._pacing = Pacing(loop, lambda: self._table.pi.is_held, pace)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._door = door
        self._table: VirtualTable
        self._last_player: Player
        self._thread.call(self._switch_on(scene, seed))

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
        carried out. Called off, what these lines hold is let go.
        """
        return asyncio.run_coroutine_threadsafe(self._do(lines, hand), self._thread.loop)

    def choose_pace(self, pace: Pace) -> Future[None]:
        """Let the clock go on at *pace*."""
        return asyncio.run_coroutine_threadsafe(self._choose_pace(pace), self._thread.loop)

    def step(self) -> Future[None]:
        """Let the clock stand but for going on, at once, until an event is told or a wire changes; 60 s at the most."""
        return asyncio.run_coroutine_threadsafe(self._pacing.step(), self._thread.loop)

    def subscribe_events(self, callback: Callable[[dict[str, Any]], None], /) -> Stop:
        """Call *callback*, in the table's thread, with every event from now on, its ``t`` as the table tells it."""

        def since_power_on(told: Told) -> None:
            callback({**told, "t": round(float(str(told["t"])) - self._table.switched_on_at, 6)})

        return self._table.log.listen(since_power_on)

    def subscribe_sound(self, callback: Callable[[float, bytes], None], /) -> Stop:
        """Call *callback*, in the table's thread, with every block that can be heard: at the pace of life."""

        def in_life(t: float, pcm: bytes) -> None:
            if self._pacing.chosen == 1:
                callback(t, pcm)

        listeners = self._table.sound_card.on_block
        listeners.append(in_life)
        return lambda: listeners.remove(in_life)

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
            self._thread.call(self._put_away())
        finally:
            self._thread.close()

    async def _do(self, lines: list[str], hand: str) -> bool:
        parsed = [parse_line(text, number) for number, text in enumerate(lines, start=1)]
        doing = asyncio.create_task(self._in_turn([line for line in parsed if line], hand))
        standing = asyncio.create_task(self._pacing.stands.wait())
        try:
            await asyncio.wait((doing, standing), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await next_beat()
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)
            raise
        finally:
            standing.cancel()
        if doing.done():
            doing.result()
            return True
        doing.add_done_callback(_log_refusal)
        return False

    async def _in_turn(self, lines: Sequence[Line], hand: str) -> None:
        turn = self._turns.setdefault(hand, asyncio.Lock()) if hand else asyncio.Lock()
        async with turn:
            player = Player(self._table, follows=self._last_player)
            try:
                with self._pacing.waited_for():
                    await next_beat()
                    async with asyncio.timeout(LONGEST_DO_S):
                        await player.perform(lines)
            except CheckFailed as failed:
                raise PlayError(failed.line, f"expected {failed.expected}; found {failed.found}") from None
            except TimeoutError:
                raise PlayError(lines[-1].number, f"these lines take longer than {LONGEST_DO_S:.0f} s") from None
            finally:
                self._last_player = player

    async def _choose_pace(self, pace: Pace) -> None:
        self._pacing.choose(pace)

    async def _snapshot(self) -> dict[str, Any]:
        return {**self._table.snapshot(), "powered": self._table.is_on, "pins": wires_of(self._table)}

    async def _looks(self) -> dict[str, Any]:
        looks = looks_of(self._table, asyncio.get_running_loop().time())
        recording = self._table.done
        return {
            **looks,
            "pace": self._pacing.chosen,
            "rate": self._pacing.rate,
            "recorded": {"acts": len(recording.acts), "full": recording.full_since is not None},
        }

    async def _switch_on(self, scene: Scene, seed: int) -> None:
        table = self._table = VirtualTable(scene, seed=seed, door=self._door)
        self._last_player = Player(table)
        table.log.listen(lambda _: self._pacing.stir())
        table.on_wire.append(self._pacing.stir)
        table.done.look = partial(what_is_seen, table)
        # done as hands would, so that a play can do it again
        begins = (f"edition {shlex.quote(table.config.edition)}", f"seed {seed}", "power on")
        with self._pacing.at_once():
            await self._last_player.perform(filter(None, map(parse_line, begins)))

    async def _put_away(self) -> None:
        with self._pacing.at_once():
            await self._table.close()


def _log_refusal(doing: asyncio.Task[None]) -> None:
    if not doing.cancelled() and (problem := doing.exception()):
        log.warning("what was asked while the clock stood could not be done: %s", problem)
