"""The table that is on the bench, in its thread: set anew at will, worked by many hands, followed by listeners."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any
from weakref import WeakValueDictionary

from reboard.either import either
from reboard_sim.bench.hands_on_table import AtNewTableError, SetAnewError, TooManyWaitingError
from reboard_sim.bench.pace import Pacing
from reboard_sim.bench.scene_wish import GIVEN, LONGEST_SCENE_S, OURS, SceneWish
from reboard_sim.event_log import Told
from reboard_sim.hand_time import next_beat, on_the_beat
from reboard_sim.play import CheckFailed, Player
from reboard_sim.play_language import Line, PlayError, parse_line
from reboard_sim.scene import Scene
from reboard_sim.session import what_is_seen
from reboard_sim.state_directory import gone_afterwards
from reboard_sim.virtual_table import VirtualTable

log = logging.getLogger(__name__)

LONGEST_DO_S = 600.0
"""How long the lines of one request may take."""

MOST_DOING = 500
"""So many requests may wait to be done: while the clock stands, none is done."""


class Stage:
    """A table, and another one after it. Everything is for the loop's own thread.

    The first one keeps its state where *scene* says, each later one where nobody finds it afterwards.
    """

    def __init__(self, scene: Scene, *, seed: int, pacing: Pacing, door: Path | None) -> None:
        self.table: VirtualTable
        self.wired: dict[str, str] = {}
        """The kinds of reader that the wiring has in its slots."""
        self.number = 0
        """How many tables there have been."""
        self.run = token_hex(4)
        """Another one each time that the bench is begun, so that whoever was there before knows."""
        self.seed = seed
        self.wish = SceneWish(scene.config().edition, OURS if scene.is_ours else GIVEN)
        self.given = None if scene.is_ours else scene.path
        """The file that the bench was begun with."""
        self.on_event: list[Callable[[dict[str, Any]], None]] = []
        self.on_sound: list[Callable[[float, bytes], None]] = []
        self.on_refusal: list[Callable[[str], None]] = []
        self._scene = scene
        self._pacing = pacing
        self._door = door
        self._state: TemporaryDirectory[str] | None = None
        self._is_set = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self._doing: set[asyncio.Task[None]] = set()
        self._at_work: set[Player] = set()
        self._call_off = asyncio.Event()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def begin(self) -> None:
        """Set the first table."""
        await self._set(self._scene)
        self._is_set.set()

    @property
    def is_held(self) -> bool:
        """Whether a person holds something: what lines hold that are being done is not meant."""
        return bool(self.table.pi.held.difference(*(player.holds for player in self._at_work)))

    async def set_anew(self, wish: SceneWish, seed: int, lines: list[str]) -> None:
        """Take the table away and set another one, with an empty ledger; do *lines* at it at once; go on as in life.

        Raises `ConfigError` or `PlayError`, and the table is as it was, for a scene that cannot be had, and
        `AtNewTableError` for a line that cannot be carried out at the new one. Called off, the rest of the lines is not
        done; nor is it when yet another table is set, which is a `SetAnewError`.
        """
        parsed = _parsed(lines)
        _refuse_too_long(parsed, LONGEST_SCENE_S)
        state = gone_afterwards()
        try:
            scene = wish.scene(self.given, Path(state.name))
        except BaseException:
            state.cleanup()
            raise
        self._call_off.set()
        call_off = self._call_off = asyncio.Event()
        replacing = asyncio.ensure_future(self._replace(scene, wish, seed, state, parsed, call_off))
        try:
            await asyncio.shield(replacing)
        except asyncio.CancelledError:
            call_off.set()
            replacing.add_done_callback(_let_it_be)
            raise

    async def do(self, lines: list[str], hand: str) -> bool:
        """Carry out *lines*, after what the same *hand* was given. False: that is to be when the clock goes on.

        Raises `PlayError`, `TooManyWaitingError` and `SetAnewError`. Called off, what these lines hold is let go.
        """
        parsed = _parsed(lines)
        _refuse_too_long(parsed, LONGEST_DO_S)
        if len(self._doing) >= MOST_DOING:
            raise TooManyWaitingError(f"{MOST_DOING} requests wait to be done already; let the clock go on")
        doing = asyncio.create_task(self._in_turn(parsed, hand))
        standing = asyncio.create_task(self._pacing.stands.wait())
        self._doing.add(doing)
        doing.add_done_callback(self._doing.discard)
        try:
            await asyncio.wait((doing, standing), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await next_beat()
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)
            raise
        finally:
            standing.cancel()
        if doing.cancelled():
            raise SetAnewError
        if doing.done():
            doing.result()
            return True
        doing.add_done_callback(self._tell_refusal)
        return False

    async def put_away(self) -> None:
        """Pull the plug, for good."""
        self._call_off.set()
        async with self._one_at_a_time:
            await self._take_away()

    async def _replace(
        self,
        scene: Scene,
        wish: SceneWish,
        seed: int,
        state: TemporaryDirectory[str],
        lines: list[Line],
        call_off: asyncio.Event,
    ) -> None:
        async with self._one_at_a_time:
            self._is_set.clear()
            self._pacing.choose(1)
            try:
                with self._pacing.at_once():
                    await self._take_away()
                    await on_the_beat()
                    self._state, self.seed = state, seed
                    self.wish = replace(wish, edition=wish.edition or scene.config().edition)
                    await self._set(scene)
                    await self._lead(lines, call_off)
            finally:
                self._is_set.set()  # whatever became of it: hands that wait do so for nothing else

    async def _take_away(self) -> None:
        with self._pacing.at_once():
            for doing in tuple(self._doing):
                doing.cancel()
            await asyncio.gather(*self._doing, return_exceptions=True)
            await self.table.close()
        if self._state:
            self._state.cleanup()
            self._state = None

    async def _lead(self, lines: list[Line], call_off: asyncio.Event) -> None:
        """Do the lines that lead to a scene, unless they are called off."""
        try:
            is_off = await either(self._perform(self._player, lines, LONGEST_SCENE_S), call_off.wait())
        except PlayError as problem:
            raise AtNewTableError(problem.line, problem.problem) from None
        if is_off:
            raise SetAnewError

    async def _set(self, scene: Scene) -> None:
        bank = scene.config().bank
        slots = {"left": bank.left, "right": bank.right} if bank else {}
        self.wired = {side: slot.reader for side, slot in slots.items() if slot}
        table = self.table = VirtualTable(scene, seed=self.seed, door=self._door)
        self.number += 1
        for listener in tuple(self.on_event):
            listener({"t": 0.0, "event": "scene"})
        table.log.listen(partial(self._tell, table))
        table.on_wire.append(self._pacing.stir)
        table.sound_card.on_block.append(self._sound)
        table.done.look = partial(what_is_seen, table)
        table.on_hands.append(self._pacing.touched)
        self._player = Player(table)
        with self._pacing.at_once():
            # done as hands would, so that a play can do it again
            await self._player.perform(_parsed(self.wish.begins(scene, self.seed)))

    def _tell(self, table: VirtualTable, told: Told) -> None:
        self._pacing.stir()
        event = {**told, "t": round(float(str(told["t"])) - table.switched_on_at, 6)}
        for listener in tuple(self.on_event):
            listener(event)

    def _sound(self, t: float, samples: bytes) -> None:
        if self._pacing.chosen == 1 and not self._pacing.is_at_once:
            for listener in tuple(self.on_sound):
                listener(t, samples)

    async def _in_turn(self, lines: list[Line], hand: str) -> None:
        turn = self._turns.setdefault(hand, asyncio.Lock()) if hand else asyncio.Lock()
        async with turn:
            await self._is_set.wait()
            player = Player(self.table, follows=self._player)
            with self._pacing.waited_for():
                self._at_work.add(player)
                try:
                    await next_beat()
                    await self._perform(player, lines, LONGEST_DO_S)
                finally:
                    self._at_work.discard(player)
                    self._player = player

    def _tell_refusal(self, doing: asyncio.Task[None]) -> None:
        """Nobody waits for the answer any more to what was asked while the clock stood."""
        if not doing.cancelled() and (problem := doing.exception()):
            log.warning("what was asked while the clock stood could not be done: %s", problem)
            for listener in tuple(self.on_refusal):
                listener(str(problem))

    @staticmethod
    async def _perform(player: Player, lines: list[Line], longest_s: float) -> None:
        try:
            async with asyncio.timeout(longest_s):
                await player.perform(lines)
        except CheckFailed as failed:
            raise PlayError(failed.line, f"expected {failed.expected}; found {failed.found}") from None
        except TimeoutError:
            raise PlayError(player.line, _too_long(longest_s)) from None


def _parsed(lines: Iterable[str]) -> list[Line]:
    parsed = (parse_line(text, number) for number, text in enumerate(lines, start=1))
    return [line for line in parsed if line]


def _refuse_too_long(lines: Iterable[Line], longest_s: float) -> None:
    """Raise `PlayError` for the first line by which they take too long, going by what they say themselves."""
    seconds = 0.0
    for line in lines:
        seconds += line.values.get("seconds", 0.0) if line.form.name != "wait_until" else 0.0
        if seconds > longest_s:
            raise PlayError(line.number, _too_long(longest_s))


def _too_long(longest_s: float) -> str:
    return f"the lines up to this one take longer than {longest_s:.0f} s"


def _let_it_be(replacing: asyncio.Future[None]) -> None:
    """Nobody waits any more to be told what became of it."""
    if not replacing.cancelled():
        replacing.exception()
