"""The story of the question block, its button and lamp on virtual pins."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest

from reboard.board import RATE_HZ
from reboard.odds import GAME_OVER, LAUGH, POWER_UP, Bag, Chance, Odds, Outcome
from reboard.parts.contact import Button
from reboard.parts.lamp import Lamp
from reboard.parts.sinks.silent import SilentSink
from reboard.parts.speaker import Speaker
from reboard.question_block import QuestionBlock, no_booking
from reboard.sounds import SoundSet
from reboard.sounds.wav_file import write_wav
from reboard_sim.pins import VirtualPins
from reboard_sim.switch import Switch
from reboard_sim.virtual_time import run

BUTTON, LAMP = 17, 27
SOUNDS = SoundSet.built_in()

Book = Callable[[Outcome], Awaitable[None]]


class Always(Chance):
    """Draws one outcome only."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    def weighted(self) -> list[tuple[Outcome, int]]:
        return [(self.outcome, 1)]

    def draw(self, rng: Random) -> Outcome:
        return self.outcome


class Setting:
    """A block on a virtual Pi, and what it did."""

    def __init__(self, chance: Chance, quiet: bool, sounds: SoundSet = SOUNDS, book: Book = no_booking) -> None:
        loop = asyncio.get_running_loop()
        self.pins = VirtualPins(loop.time)
        self.hand = Switch(self.pins.line(BUTTON), self.pins.ground, rng=Random(1))
        self.told: list[tuple[str, dict[str, object]]] = []
        self.played: list[tuple[str, float]] = []
        self.block = QuestionBlock(
            Button(BUTTON, pins=self.pins),
            Lamp(LAMP, pins=self.pins),
            Speaker(sounds, SilentSink(), emit=self.hear),
            rng=Random(7),
            chance=chance,
            quiet=quiet,
            book=book,
            emit=lambda name, /, **fields: self.told.append((name, fields)),
        )

    def hear(self, name: str, /, **fields: object) -> None:
        self.played.append((str(fields["name"]), round(asyncio.get_running_loop().time(), 3)))

    async def press(self, hold_s: float = 0.1) -> None:
        self.hand.close()
        await asyncio.sleep(hold_s)
        self.hand.open()

    def lit(self) -> list[tuple[float, float]]:
        """From when to when the lamp's wire was high, to the millisecond."""
        edges = [(round(t, 3), duty) for t, duty in self.pins.line(LAMP).timeline]
        return [(on, off) for (on, duty), (off, _) in itertools.pairwise(edges) if duty]


def play(
    scene: Callable[[Setting], Awaitable[None]],
    chance: Chance | None = None,
    *,
    quiet: bool = False,
    sounds: SoundSet = SOUNDS,
    book: Book = no_booking,
) -> Setting:
    async def main() -> Setting:
        setting = Setting(chance or Odds(), quiet, sounds, book)
        story = asyncio.ensure_future(setting.block.run())
        await asyncio.sleep(0)
        await scene(setting)
        await asyncio.sleep(10)
        story.cancel()
        await asyncio.gather(story, return_exceptions=True)
        return setting

    setting: Setting = run(main)
    return setting


async def press_once(setting: Setting) -> None:
    await setting.press()


@pytest.mark.parametrize("coins", range(1, 7))
def test_n_coins_are_n_pings_that_a_child_can_count(coins: int) -> None:
    setting = play(press_once, Always(Outcome("coins", coins)))
    times = [t for name, t in setting.played if name == "coin"]
    assert len(times) == coins
    assert all(later - earlier >= 0.3 for earlier, later in itertools.pairwise(times))


@pytest.mark.parametrize("outcome", [POWER_UP, LAUGH, GAME_OVER])
def test_every_other_outcome_is_one_sound_of_its_name(outcome: Outcome) -> None:
    assert play(press_once, Always(outcome)).played == [(outcome.kind, 0.0)]


@pytest.mark.parametrize("outcome", [Outcome("coins", 6), POWER_UP, LAUGH, GAME_OVER])
def test_the_lamp_is_lit_from_the_press_to_the_end_of_the_sound(outcome: Outcome) -> None:
    setting = play(press_once, Always(outcome))
    last, began = setting.played[-1]
    [(on, off)] = setting.lit()
    assert on == 0.0
    assert off == pytest.approx(began + SOUNDS[last].seconds, abs=0.002)


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("outcome", [o for o, _ in Odds().weighted()])
def test_nothing_lasts_longer_than_four_seconds(outcome: Outcome, quiet: bool) -> None:
    assert play(press_once, Always(outcome), quiet=quiet).lit()[-1][1] <= 4.0


def test_six_pings_of_an_owners_own_last_no_longer_than_four_seconds_either(tmp_path: Path) -> None:
    write_wav(tmp_path / "coin.wav", b"\1\1" * 4 * RATE_HZ)
    own_sounds = SoundSet.with_folder(tmp_path)
    six_pings = play(press_once, Always(Outcome("coins", 6)), sounds=own_sounds)
    assert 3.5 < six_pings.lit()[-1][1] <= 4.001


def test_a_press_during_a_sound_does_nothing() -> None:
    async def twice(setting: Setting) -> None:
        await setting.press()
        await asyncio.sleep(0.5)
        await setting.press()

    assert len(play(twice, Always(GAME_OVER)).played) == 1


def test_a_button_held_through_the_sound_has_to_be_let_go_before_it_counts_again() -> None:
    async def hold_then_press(setting: Setting) -> None:
        await setting.press(hold_s=5)
        assert len(setting.played) == 1
        await asyncio.sleep(0.1)
        await setting.press()

    assert len(play(hold_then_press, Always(GAME_OVER)).played) == 2


def test_a_press_is_told_before_its_outcome() -> None:
    assert play(press_once, Always(Outcome("coins", 3))).told == [
        ("block.pressed", {}),
        ("block.outcome", {"outcome": "coins", "coins": 3}),
    ]


@pytest.mark.parametrize("quiet", [False, True])
def test_what_is_booked_is_booked_before_the_table_hears_or_sees_it(quiet: bool) -> None:
    booked: list[Outcome] = []

    async def book_slowly(outcome: Outcome) -> None:
        await asyncio.sleep(3)
        booked.append(outcome)

    async def in_linked_play(setting: Setting) -> None:
        await setting.press()
        await asyncio.sleep(1)
        await setting.press()

    setting = play(in_linked_play, Always(Outcome("coins", 2)), quiet=quiet, book=book_slowly)
    assert booked == [Outcome("coins", 2)], "a press meanwhile is like one during the sound"
    assert setting.lit()[0][0] == 3.0
    assert [t for _, t in setting.played] == ([] if quiet else [3.0, 3.4])


def test_in_quiet_mode_the_block_is_silent_and_coins_are_blinks() -> None:
    for coins in range(1, 7):
        setting = play(press_once, Always(Outcome("coins", coins)), quiet=True)
        assert setting.played == []
        assert len(setting.lit()) == coins


def test_in_quiet_mode_no_two_outcomes_look_alike() -> None:
    rhythms = [tuple(play(press_once, Always(o), quiet=True).lit()) for o, _ in Odds().weighted()]
    assert len(set(rhythms)) == len(rhythms)


def test_the_lamp_goes_out_when_the_block_is_put_away_in_the_middle_of_a_sound() -> None:
    async def main() -> bool:
        setting = Setting(Always(GAME_OVER), quiet=False)
        story = asyncio.ensure_future(setting.block.run())
        await asyncio.sleep(0)
        await setting.press()
        assert setting.block.lamp.is_on
        story.cancel()
        await asyncio.gather(story, return_exceptions=True)
        return setting.block.lamp.is_on

    assert not run(main)


def test_the_lamp_flashes_now_and_then_while_something_is_at_fault_and_a_press_still_counts() -> None:
    async def in_trouble(setting: Setting) -> None:
        setting.block.trouble.set()
        await asyncio.sleep(12)
        setting.block.trouble.clear()
        await asyncio.sleep(5)
        flashes = len(setting.lit())
        await setting.press()
        assert flashes == len([flash for flash in setting.lit() if flash[1] - flash[0] < 0.1]) == 6

    assert len(play(in_trouble, Always(LAUGH)).played) == 1


def test_the_snapshot_has_the_last_outcome() -> None:
    snapshot = play(press_once, Always(Outcome("coins", 2))).block.snapshot()
    assert (snapshot["last"], snapshot["quiet"]) == ({"outcome": "coins", "coins": 2}, False)


@pytest.mark.parametrize("drawn", [lambda odds: odds, Bag])
def test_the_snapshot_has_the_odds_also_those_of_a_bag(drawn: Callable[[Odds], Chance]) -> None:
    block = play(press_once, drawn(Odds(coins=(3, 0, 1), laugh=0, power_up=5, game_over=2))).block
    assert block.snapshot()["odds"] == {"coins": [3, 0, 1, 0, 0, 0], "laugh": 0, "power_up": 5, "game_over": 2}


def test_the_snapshot_has_how_often_each_outcome_came() -> None:
    async def press_often(setting: Setting) -> None:
        for chance in (Outcome("coins", 2), Outcome("coins", 6), LAUGH, Outcome("coins", 2), GAME_OVER):
            setting.block.chance = Always(chance)
            await setting.press()
            await asyncio.sleep(5)

    tally = play(press_often).block.snapshot()["tally"]
    assert tally == {"coins": [0, 2, 0, 0, 0, 1], "laugh": 1, "power_up": 0, "game_over": 1}
