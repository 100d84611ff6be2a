"""The story of the worm apple, its lever and motor on virtual pins."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

import pytest

from reboard.errors import PartError
from reboard.parts.contact import Lever
from reboard.parts.motor import RAMP_S, Motor
from reboard.parts.sinks.silent import SilentSink
from reboard.parts.speaker import Speaker
from reboard.sounds import SoundSet
from reboard.worm_apple import WORM_DANCE, WormApple
from reboard_sim.motor import VirtualMotor
from reboard_sim.pins import VirtualPin, VirtualPins
from reboard_sim.switch import Switch
from reboard_sim.virtual_time import run

LEVER, MOTOR = 22, 13
LATE_S = 0.1
"""How long past its time, counted from the letting go, the motor may run."""
SOON_S = 0.06
"""How soon after the letting go it is on."""


class Setting:
    """An apple on a virtual Pi, and what it did."""

    def __init__(self, seconds: float, *, held: bool = False) -> None:
        loop = asyncio.get_running_loop()
        self.pins = VirtualPins(loop.time)
        self.pins.line(MOTOR).pull_outside = "down"
        self.hand = Switch(self.pins.line(LEVER), self.pins.ground, rng=Random(1))
        if held:
            self.hand.close()
        self.worms = VirtualMotor(self.pins.line(MOTOR))
        self.played: list[tuple[str, float]] = []
        self.told: list[str] = []
        self.motor = Motor(MOTOR, pins=self.pins, longest_s=seconds + 0.05)
        self.apple = WormApple(
            Lever(LEVER, pins=self.pins),
            self.motor,
            Speaker(SoundSet.built_in(), SilentSink(), emit=self.hear),
            seconds=seconds,
            now=loop.time,
            emit=lambda name, /, **fields: self.told.append(name),
        )

    def hear(self, name: str, /, **fields: object) -> None:
        self.played.append((str(fields["name"]), round(asyncio.get_running_loop().time(), 3)))

    async def wind_and_let_go(self) -> None:
        self.hand.close()
        await asyncio.sleep(1)
        self.hand.open()

    @property
    def ran(self) -> list[tuple[float, float | None]]:
        return [(round(on, 3), off if off is None else round(off, 3)) for on, off in self.worms.on_intervals]


def play(scene: Callable[[Setting], Awaitable[None]], seconds: float = 13.0) -> Setting:
    async def main() -> Setting:
        setting = Setting(seconds)
        story = asyncio.ensure_future(setting.apple.run())
        await asyncio.sleep(0)
        await scene(setting)
        story.cancel()
        await asyncio.gather(story, return_exceptions=True)
        return setting

    setting: Setting = run(main)
    return setting


@pytest.mark.parametrize("seconds", [5.0, 13.0, 120.0])
def test_letting_go_starts_the_motor_for_its_time(seconds: float) -> None:
    async def one_turn(setting: Setting) -> None:
        await setting.wind_and_let_go()
        await asyncio.sleep(seconds + 5)

    [(on, off)] = play(one_turn, seconds).ran
    assert 1.0 <= on <= 1.0 + SOON_S
    assert off is not None
    assert seconds <= off - on + 0.05
    assert off - 1.0 <= seconds + LATE_S


def test_the_worms_rise_and_fall_but_never_stand_still() -> None:
    async def one_turn(setting: Setting) -> None:
        await setting.wind_and_let_go()
        await asyncio.sleep(15)
        danced = [duty for t, duty in setting.pins.line(MOTOR).timeline if 1 + RAMP_S <= t < 13.5]
        assert min(danced) >= 0.55 - 1e-9
        assert {step.level for step in WORM_DANCE} <= {round(duty, 6) for duty in danced}

    assert len({step.level for step in WORM_DANCE}) > 3
    assert len(play(one_turn).ran) == 1


def test_the_turn_is_told_from_winding_to_the_end() -> None:
    async def one_turn(setting: Setting) -> None:
        await setting.wind_and_let_go()
        await asyncio.sleep(15)

    assert play(one_turn).told == ["apple.wound", "apple.started", "apple.stopped"]


def test_a_sound_says_that_the_time_is_up_once_the_motor_stands() -> None:
    async def one_turn(setting: Setting) -> None:
        await setting.wind_and_let_go()
        await asyncio.sleep(15)

    setting = play(one_turn)
    [(name, at)] = [played for played in setting.played if played[0] == "time_up"]
    assert name == "time_up"
    assert at >= (setting.ran[0][1] or 99)


def test_pulling_while_it_runs_stops_the_motor_at_once_and_winds_anew() -> None:
    async def interrupted(setting: Setting) -> None:
        await setting.wind_and_let_go()
        await asyncio.sleep(4)
        setting.hand.close()
        await asyncio.sleep(3)
        assert not setting.worms.is_on
        assert not setting.apple.is_running
        assert setting.apple.is_wound
        setting.hand.open()
        await asyncio.sleep(20)

    setting = play(interrupted)
    first, second = setting.ran
    assert first[1] == pytest.approx(5.0, abs=0.001)
    assert 8.0 <= second[0] <= 8.0 + SOON_S
    assert [name for name, _ in setting.played] == ["wound", "wound", "time_up"]


def test_holding_the_lever_back_runs_nothing() -> None:
    async def held(setting: Setting) -> None:
        setting.hand.close()
        await asyncio.sleep(60)

    assert play(held).ran == []


def test_a_glitch_on_the_levers_wire_winds_nothing_and_starts_nothing() -> None:
    async def noise(setting: Setting) -> None:
        for length_s in (0.0001, 0.001, 0.01, 0.04):
            setting.pins.line(LEVER).drive(False)
            await asyncio.sleep(length_s)
            setting.pins.line(LEVER).drive(None)
            await asyncio.sleep(20)

    setting = play(noise)
    assert setting.ran == []
    assert setting.told == []


def test_a_glitch_on_the_wire_of_a_lever_that_is_held_starts_nothing() -> None:
    async def bad_joint(setting: Setting) -> None:
        lever = setting.pins.line(LEVER)
        lever.drive(False)
        await asyncio.sleep(1)
        for length_s in (0.0001, 0.001, 0.01, 0.025, 0.04):
            lever.drive(None)
            await asyncio.sleep(length_s)
            lever.drive(False)
            await asyncio.sleep(1)
        assert not setting.apple.is_running
        assert setting.apple.is_wound
        assert setting.told == ["apple.wound"]
        lever.drive(None)
        await asyncio.sleep(1)

    assert len(play(bad_joint).ran) == 1


def test_a_motor_whose_noise_reaches_the_lever_stops_and_does_not_start_itself_again() -> None:
    async def noisy(setting: Setting) -> None:
        await setting.wind_and_let_go()
        await asyncio.sleep(2)
        setting.pins.line(LEVER).drive(False)
        await asyncio.sleep(0.0001)
        setting.pins.line(LEVER).drive(None)
        await asyncio.sleep(20)

    setting = play(noisy)
    [(_, off)] = setting.ran
    assert off == pytest.approx(3.0, abs=0.001)


def test_a_motor_that_cannot_be_driven_ends_the_turn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> tuple[BaseException | None, list[str]]:
        setting = Setting(13.0)
        write = VirtualPin._set_state

        def fail(pin: VirtualPin, value: float) -> None:
            if value:
                raise OSError("the pin library hiccups")
            write(pin, value)

        monkeypatch.setattr(VirtualPin, "_set_state", fail)
        story = asyncio.ensure_future(setting.apple.run())
        await asyncio.sleep(0)
        await setting.wind_and_let_go()
        await asyncio.sleep(0.1)
        assert story.done()
        assert not setting.apple.is_running
        return story.exception(), setting.told

    failure, told = run(main)
    assert isinstance(failure, PartError)
    assert told == ["apple.wound", "apple.started", "apple.stopped"]


def test_a_lever_held_while_the_table_is_switched_on_starts_only_when_a_hand_lets_go() -> None:
    async def main() -> tuple[list[object], list[object]]:
        setting = Setting(13.0, held=True)
        story = asyncio.ensure_future(setting.apple.run())
        await asyncio.sleep(30)
        before: list[object] = list(setting.ran)
        setting.hand.open()
        await asyncio.sleep(1)
        after: list[object] = list(setting.ran)
        story.cancel()
        await asyncio.gather(story, return_exceptions=True)
        return before, after

    before, after = run(main)
    assert before == []
    assert len(after) == 1


def test_the_motor_is_off_when_the_apple_is_put_away_in_the_middle_of_a_dance() -> None:
    async def cut_short(setting: Setting) -> None:
        await setting.wind_and_let_go()
        await asyncio.sleep(2)
        assert setting.worms.is_on

    setting = play(cut_short)
    assert not setting.worms.is_on


def test_a_story_that_fails_during_the_dance_leaves_the_motor_off() -> None:
    async def main() -> bool:
        setting = Setting(13.0)

        async def breaks() -> None:
            await asyncio.sleep(3)
            raise RuntimeError("a defect of ours")

        setting.apple._time_is_up = breaks  # type: ignore[method-assign]
        story = asyncio.ensure_future(setting.apple.run())
        await asyncio.sleep(0)
        await setting.wind_and_let_go()
        await asyncio.sleep(5)
        assert isinstance(story.exception(), RuntimeError)
        return setting.worms.is_on

    assert not run(main)


def test_the_snapshot_says_how_long_a_turn_lasts_and_since_when_the_worms_dance() -> None:
    async def a_turn_and_the_next(setting: Setting) -> None:
        rest: dict[str, object] = {"running": False, "wound": False, "seconds": 7.0, "started_at": None}
        assert setting.apple.snapshot() == rest
        await setting.wind_and_let_go()
        assert setting.apple.snapshot() == {**rest, "wound": True}
        await asyncio.sleep(2)
        dancing = setting.apple.snapshot()
        (on, _), *_ = setting.ran
        assert dancing == {**rest, "running": True, "started_at": pytest.approx(on, abs=0.001)}
        await asyncio.sleep(10)
        assert setting.apple.snapshot() == rest

    play(a_turn_and_the_next, 7.0)
