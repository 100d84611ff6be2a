"""The current table of the bench: its requests, and its replacement by another setup."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from weakref import WeakValueDictionary

from reboard.aiotools import first_of
from reboard.table_config import TableConfig
from reboard_sim.bench.bench_acts import (
    DEMO,
    GIVEN,
    LONGEST_SCENE_S,
    OURS,
    AtNewTableError,
    Listener,
    ReplacedError,
    Setup,
    TooManyWaitingError,
)
from reboard_sim.bench.pace import Pacing
from reboard_sim.bench.switches import PAY
from reboard_sim.plays.acts import WAITS, next_beat, on_the_beat
from reboard_sim.plays.play import CheckFailed, Player
from reboard_sim.plays.play_language import Line, PlayError, parser
from reboard_sim.recording import LoggedEvent
from reboard_sim.scene import Scene, temporary_state
from reboard_sim.session import checks_now
from reboard_sim.virtual_table import VirtualTable

log = logging.getLogger(__name__)

LONGEST_DO_S = 600.0
"""The maximum virtual time for the lines of one request, in seconds."""

PAGE_IS_FIXED = (
    "The table page reads the rest of [page] only when the bench starts. Write the setting in a table.toml, "
    "and start the bench with -c table.toml."
)

MOST_DOING = 500
"""The maximum number of unfinished requests. While the table is paused, requests accumulate."""


class _Turn(asyncio.Lock):
    """The lock of a queue. While `hurry` is set, the lines of a demo in the queue skip their waits."""

    def __init__(self) -> None:
        super().__init__()
        self.hurry = asyncio.Event()


class Stage:
    """The holder of the bench's current table, which a new setup replaces. Call its methods in the thread of the loop.

    The first table has the settings and the state directory of *scene*. *setup* is the setup of that scene, or ``None``
    for a scene without changes. Each later table has a temporary directory.
    """

    def __init__(
        self, scene: Scene, *, seed: int, pacing: Pacing, socket: Path | None, setup: Setup | None = None
    ) -> None:
        self.table: VirtualTable
        self.began: TableConfig
        """The config of the current table before it was changed."""
        self.number = 0
        """The number of tables that have been started."""
        self.run = token_hex(4)
        """A random identifier of this run of the bench, so that an open page notices a restart."""
        self.seed = seed
        self.setup = setup or Setup(scene.config().edition, OURS if scene.is_ours else GIVEN)
        self.given = None if scene.is_ours else scene.path
        """The path of the ``table.toml`` given with ``-c``, or ``None`` for the wiring from the drawings."""
        self.parser = parser()
        """The parser of the lines of requests."""
        self.listeners: list[Listener] = []
        self._scene = scene
        self._pacing = pacing
        self._socket = socket
        self._state: TemporaryDirectory[str] | None = None
        self._is_ready = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self._doing: set[asyncio.Task[None]] = set()
        self._at_work: set[Player] = set()
        self._cancel = asyncio.Event()
        self._turns: WeakValueDictionary[str, _Turn] = WeakValueDictionary()

    async def begin(self) -> None:
        await self._start(self._scene)
        self._is_ready.set()

    @property
    def is_held(self) -> bool:
        """Whether the user holds a device, ignoring devices that are held by lines in progress."""
        return bool(self.table.pi.held.difference(*(player.holds for player in self._at_work)))

    @property
    def demos(self) -> list[str]:
        """The accessories whose demos are in progress."""
        return sorted(
            queue.removeprefix(DEMO) for queue, turn in self._turns.items() if queue.startswith(DEMO) and turn.locked()
        )

    async def load(self, setup: Setup, seed: int, lines: list[str]) -> None:
        """Replace the table, see `BenchTable.set_scene`, and continue in real time.

        The lines take almost no real time. `ReplacedError` and a cancellation stop them early.
        """
        state = temporary_state()
        try:
            scene, parsed = self.check(setup, lines, Path(state.name))
        except BaseException:
            state.cleanup()
            raise
        self._cancel.set()
        cancel = self._cancel = asyncio.Event()
        replacing = asyncio.ensure_future(self._replace(scene, setup, seed, state, parsed, cancel))
        try:
            await asyncio.shield(replacing)
        except asyncio.CancelledError:
            cancel.set()
            replacing.add_done_callback(_ignore_error)
            raise

    def check(self, setup: Setup, lines: list[str], state: Path) -> tuple[Scene, list[Line]]:
        """Return the scene of *setup* with its state in *state*, and the parsed *lines*. Raises `ReboardError`."""
        parsed = self._parsed(lines)
        _refuse_too_long(parsed, LONGEST_SCENE_S)
        return setup.scene(self.given, state), parsed

    async def do(self, lines: list[str], queue: str) -> bool:
        """Carry out *lines* in a *queue*, see `BenchTable.do`."""
        parsed = self._parsed(lines)
        _refuse_too_long(parsed, LONGEST_DO_S)
        if len(self._doing) >= MOST_DOING:
            raise TooManyWaitingError(
                f"{MOST_DOING} requests are waiting. If the clock is paused, start it. Then try again."
            )
        doing = asyncio.create_task(self._in_turn(parsed, queue))
        paused = asyncio.create_task(self._pacing.is_paused.wait())
        self._doing.add(doing)
        doing.add_done_callback(self._doing.discard)
        try:
            await asyncio.wait((doing, paused), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await next_beat()
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)
            raise
        finally:
            paused.cancel()
        if doing.cancelled():
            raise ReplacedError
        if doing.done():
            doing.result()
            return True
        doing.add_done_callback(self._report_refusal)
        return False

    async def finish(self, queue: str) -> None:
        """Do the rest of the demo in *queue* without its waits."""
        if turn := self._turns.get(queue):
            turn.hurry.set()
            async with turn:
                pass

    async def close(self) -> None:
        """Cancel all requests, cut the power permanently, and delete the temporary state directory, if any."""
        self._cancel.set()
        async with self._one_at_a_time:
            await self._close_table()

    async def _replace(
        self,
        scene: Scene,
        setup: Setup,
        seed: int,
        state: TemporaryDirectory[str],
        lines: list[Line],
        cancel: asyncio.Event,
    ) -> None:
        async with self._one_at_a_time:
            self._is_ready.clear()
            self._pacing.choose(1)
            try:
                with self._pacing.at_once():
                    await self._close_table()
                    await on_the_beat()
                    self._state, self.seed = state, seed
                    self.setup = replace(setup, edition=setup.edition or scene.config().edition)
                    await self._start(scene)
                    await self._play_first(lines, cancel)
            finally:
                self._is_ready.set()  # also after an error: requests wait for it

    async def _close_table(self) -> None:
        with self._pacing.at_once():
            for doing in tuple(self._doing):
                doing.cancel()
            await asyncio.gather(*self._doing, return_exceptions=True)
            await self.table.close()
        if self._state:
            self._state.cleanup()
            self._state = None

    async def _play_first(self, lines: list[Line], cancel: asyncio.Event) -> None:
        try:
            is_cancelled = await first_of(self._perform(self._player, lines, LONGEST_SCENE_S), cancel.wait())
        except PlayError as problem:
            raise AtNewTableError(problem.line, problem.problem) from None
        if is_cancelled:
            raise ReplacedError

    def make_table(self, scene: Scene) -> VirtualTable:
        """Return a table with the settings of *scene* and the current seed."""
        return VirtualTable(scene, seed=self.seed, socket=self._socket, has_copies=False)

    async def _start(self, scene: Scene) -> None:
        self.began = self.setup.changed(scene).config()
        table = self.table = self.make_table(scene)
        self.number += 1
        for listener in tuple(self.listeners):
            listener.event({"t": 0.0, "event": "scene"})
        table.log.listen(partial(self._publish, table))
        table.on_wire.append(self._pacing.event_happened)
        table.sound_card.on_block.append(self._sound)
        table.done.state_checks = partial(checks_now, table)
        table.on_input.append(self._pacing.input_changed)
        self._player = Player(table)
        with self._pacing.at_once():
            # done with lines, so that a play can repeat it
            await self._player.perform(self._parsed(self.setup.first_lines(scene, self.seed)))

    def _publish(self, table: VirtualTable, logged: LoggedEvent) -> None:
        self._pacing.event_happened()
        event = {**logged, "t": round(float(str(logged["t"])) - table.made_at, 6)}
        for listener in tuple(self.listeners):
            listener.event(event)

    def _sound(self, t: float, samples: bytes) -> None:
        if self._pacing.chosen == 1 and not self._pacing.is_at_once:
            for listener in tuple(self.listeners):
                listener.sound(t - self.table.made_at, samples)

    async def _in_turn(self, lines: list[Line], queue: str) -> None:
        turn = self._turns.setdefault(queue, _Turn()) if queue else _Turn()
        async with turn:
            turn.hurry.clear()
            await self._is_ready.wait()
            player = Player(self.table, follows=self._player)
            with self._pacing.waited_for():
                self._at_work.add(player)
                try:
                    await next_beat()
                    await self._perform(player, lines, LONGEST_DO_S, turn.hurry if queue.startswith(DEMO) else None)
                finally:
                    self._at_work.discard(player)
                    self._player = player

    def _parsed(self, lines: Iterable[str]) -> list[Line]:
        parsed = [line for number, text in enumerate(lines, start=1) if (line := self.parser.parse_line(text, number))]
        for line in parsed:
            setting = str(line.values.get("setting", "")) if line.form.name in ("config", "without") else ""
            if setting != PAY and setting.partition(".")[0] == "page":
                raise PlayError(line.number, PAGE_IS_FIXED)
        return parsed

    def _report_refusal(self, doing: asyncio.Task[None]) -> None:
        # the request was answered while the table was paused
        if not doing.cancelled() and (problem := doing.exception()):
            log.warning("a request that was sent while the table was paused failed: %s", problem)
            for listener in tuple(self.listeners):
                listener.refusal(str(problem))

    @staticmethod
    async def _perform(player: Player, lines: list[Line], longest_s: float, hurry: asyncio.Event | None = None) -> None:
        try:
            async with asyncio.timeout(longest_s):
                await (_perform_demo(player, lines, hurry) if hurry else player.perform(lines))
        except CheckFailed as failed:
            raise PlayError(failed.line, f"expected {failed.expected}; found {failed.found}") from None
        except TimeoutError:
            raise PlayError(player.line, _too_long(longest_s)) from None


async def _perform_demo(player: Player, lines: Iterable[Line], hurry: asyncio.Event) -> None:
    # a wait that ends early releases what the player holds
    for line in lines:
        if line.form.name not in WAITS:
            await player.perform([line])
        elif not hurry.is_set():
            await first_of(player.perform([line]), hurry.wait())


def _refuse_too_long(lines: Iterable[Line], longest_s: float) -> None:
    # by the times in the lines
    seconds = 0.0
    for line in lines:
        seconds += line.values.get("seconds", 0.0) if line.form.name != "wait_until" else 0.0
        if seconds > longest_s:
            raise PlayError(line.number, _too_long(longest_s))


def _too_long(longest_s: float) -> str:
    return f"The lines up to this one take longer than {longest_s:.0f} s. Shorten the waits."


def _ignore_error(replacing: asyncio.Future[None]) -> None:
    if not replacing.cancelled():
        replacing.exception()
