"""The game of the question block, with its button and lamp on virtual pins."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from reboard.accessories.accessory import Devices
from reboard.accessories.game_accessory import Game
from reboard.accessories.question_block.accessory import QUESTION_BLOCK, BlockConfig
from reboard.accessories.question_block.outcomes import Odds, Outcome
from reboard.accessories.question_block.vocabulary import Quiet
from reboard.devices.audio.libraries import SilentSink
from reboard.devices.contact import Button
from reboard.devices.lamp import Lamp
from reboard.devices.speaker import SoundStarted, Speaker
from reboard.sounds import SoundSet
from reboard.vocabulary.declared import Event
from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.contact import VirtualContact
from tests.virtual import Recorder, context, now

PRESSED_S = 0.024
"""The time after which a press counts: it bounces for 2 ms, and is then closed for the debounce time."""

BUTTON, LAMP = 17, 27
SOUNDS = SoundSet.built_in()
OUTCOMES = [outcome for outcome, _ in Odds().weighted()]


class Always(Odds):
    """Draws one outcome only, whatever its *weights* are."""

    def __init__(self, outcome: Outcome, **weights: Any) -> None:
        super().__init__(**weights)
        self.outcome = outcome

    def draw(self, rng: Random) -> Outcome:
        return self.outcome


class Bench:
    """A block on a virtual Pi, its sounds and its events."""

    def __init__(self, chance: Odds, quiet: bool, sounds: SoundSet, **services: Any) -> None:
        self.pins = VirtualPins(asyncio.get_running_loop().time)
        self.button = VirtualContact(self.pins.line(BUTTON), self.pins.ground, rng=Random(1))
        self.emit = Recorder()
        self.sounds: list[tuple[str, float]] = []
        self.lamp = Lamp(LAMP, pins=self.pins)
        self.block = Game(
            QUESTION_BLOCK,
            BlockConfig(BUTTON, LAMP, chance, quiet=quiet),
            Devices(button=Button(BUTTON, pins=self.pins), lamp=self.lamp),
            context(Speaker(sounds, SilentSink(), emit=self._hear), self.emit, **services),
        )

    def _hear(self, event: Event) -> None:
        assert isinstance(event, SoundStarted)
        self._play(event.name)

    def _play(self, name: str) -> None:
        self.sounds.append((name, round(now(), 3)))

    async def press(self, hold_s: float = 0.1) -> None:
        self.button.press()
        await asyncio.sleep(hold_s)
        self.button.release()

    @property
    def lit(self) -> list[tuple[float, float]]:
        """The times between which the lamp was on."""
        edges = [(round(t, 3), duty) for t, duty in self.pins.line(LAMP).timeline]
        return [(on, off) for (on, duty), (off, _) in itertools.pairwise(edges) if duty]

    @property
    def snapshot(self) -> Any:
        return self.block.snapshot()["block"]


@asynccontextmanager
async def playing(
    chance: Odds, *, quiet: bool = False, sounds: SoundSet = SOUNDS, **services: Any
) -> AsyncIterator[Bench]:
    bench = Bench(chance, quiet, sounds, **services)
    game = asyncio.ensure_future(bench.block.run(lambda: None))
    await asyncio.sleep(0)
    try:
        yield bench
    finally:
        game.cancel()
        await asyncio.gather(game, return_exceptions=True)


@pytest.mark.parametrize("outcome", OUTCOMES)
async def test_an_outcome_is_its_sound_with_the_lamp_on_for_at_most_four_seconds(outcome: Outcome) -> None:
    async with playing(Always(outcome)) as bench:
        await bench.press()
        await asyncio.sleep(10)
    times = [t for _, t in bench.sounds]
    assert [name for name, _ in bench.sounds] == (["coin"] * outcome.coins or [outcome.kind])
    assert times[0] == PRESSED_S
    assert all(later - earlier >= 0.3 for earlier, later in itertools.pairwise(times)), "a child can count the coins"
    [(on, off)] = bench.lit
    assert on == PRESSED_S
    assert off == pytest.approx(times[-1] + SOUNDS[bench.sounds[-1][0]].seconds, abs=0.002)
    assert off - on <= 4
    assert bench.emit.events == [
        ("block.pressed", {}),
        ("block.outcome", {"outcome": outcome.kind, "coins": outcome.coins}),
    ]


async def test_in_quiet_mode_each_outcome_has_its_own_pattern_of_light() -> None:
    patterns = set()
    for outcome in OUTCOMES:
        async with playing(Always(outcome), quiet=True) as bench:
            started_at = now()
            await bench.press()
            await asyncio.sleep(10)
        assert bench.sounds == []
        assert bench.lit[-1][1] - started_at <= 4
        assert len(bench.lit) == outcome.coins or not outcome.coins
        edges = itertools.pairwise(itertools.chain(*bench.lit))
        assert all(later - earlier > 0.05 for earlier, later in edges), "a child can see each flash"
        patterns.add(tuple((round(on - started_at, 3), round(off - started_at, 3)) for on, off in bench.lit))
    assert len(patterns) == len(OUTCOMES)


@pytest.mark.parametrize("quiet", [False, True])
async def test_in_linked_play_the_transfer_comes_before_the_outcome_is_shown(quiet: bool) -> None:
    booked: list[tuple[str, int]] = []

    async def book(outcome: str, times: int) -> None:
        await asyncio.sleep(3)
        booked.append((outcome, times))

    async with playing(Always(Outcome("coins", 2)), quiet=quiet, book=book) as bench:
        await bench.press()
        await asyncio.sleep(1)
        await bench.press()
        await asyncio.sleep(10)
    assert booked == [("coins", 2)], "a press meanwhile does nothing"
    begins = 3 + PRESSED_S
    assert bench.lit[0][0] == begins
    assert [t for _, t in bench.sounds] == ([] if quiet else [begins, begins + 0.4])


async def test_the_lamp_goes_off_when_the_block_is_stopped_during_a_sound() -> None:
    async with playing(Always(Outcome("game_over"))) as bench:
        await bench.press()
        assert bench.lamp.is_on
    assert not bench.lamp.is_on


async def test_the_lamp_flashes_between_presses_while_a_device_has_a_fault() -> None:
    async with playing(Always(Outcome("laugh"))) as bench:
        bench.block.show_fault("display")
        await asyncio.sleep(12)
        bench.block.show_fault(None)
        await asyncio.sleep(5)
        assert len(bench.lit) == 6
        assert all(off - on < 0.1 for on, off in bench.lit)
        await bench.press()
        await asyncio.sleep(10)
        assert len(bench.lit) == 7
        assert len(bench.sounds) == 1


async def test_the_snapshot_has_the_odds_the_last_outcome_and_the_tally() -> None:
    chance = Always(Outcome("laugh"), coins=(3, 0, 1), laugh=0, power_up=5, game_over=2)
    async with playing(chance) as bench:
        odds = bench.snapshot["odds"]
        assert odds == {**odds, "coins": [3, 0, 1, 0, 0, 0], "laugh": 0, "power_up": 5, "game_over": 2}
        assert bench.snapshot["last"] is None
        for chance.outcome in (Outcome("coins", 2), Outcome("laugh"), Outcome("power_up"), Outcome("coins", 2)):
            await bench.press()
            await asyncio.sleep(5)
        await bench.block.request(Quiet(True))
        assert bench.snapshot["last"] == {"outcome": "coins", "coins": 2}
        assert bench.snapshot["quiet"]
        tally = bench.snapshot["tally"]
        assert tally == {**tally, "coins": [0, 2, 0, 0, 0, 0], "laugh": 1, "power_up": 1, "game_over": 0}
