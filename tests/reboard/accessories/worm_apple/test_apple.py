"""The game of the worm apple, with its lever and motor on virtual pins."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from reboard.accessories.accessory import Devices
from reboard.accessories.game_accessory import Game
from reboard.accessories.worm_apple.accessory import WORM_APPLE, AppleConfig
from reboard.devices.audio.libraries import SilentSink
from reboard.devices.contact import Lever
from reboard.devices.motor import Motor
from reboard.devices.speaker import SoundStarted, Speaker
from reboard.errors import DeviceError
from reboard.sounds import SoundSet
from reboard.vocabulary.declared import Event
from reboard_sim.board.pins import VirtualPin, VirtualPins
from reboard_sim.devices.contact import VirtualContact
from reboard_sim.devices.motor import VirtualMotor
from tests.virtual import Recorder, context, now

LEVER, MOTOR = 22, 13
LATE_S = 0.1
"""The motor may run so long after its time, counted from the release."""
SOON_S = 0.06
"""The motor starts within this time after the release."""
TURN = ["apple.wound", "apple.started", "apple.stopped"]


class Bench:
    """An apple on a virtual Pi, its sounds and its events."""

    def __init__(self, seconds: float, *, held: bool) -> None:
        loop = asyncio.get_running_loop()
        self.pins = VirtualPins(loop.time)
        self.pins.line(MOTOR).pull_outside = "down"
        self.lever = VirtualContact(self.pins.line(LEVER), self.pins.ground, rng=Random(1))
        if held:
            self.lever.press()
        self.virtual = VirtualMotor(self.pins.line(MOTOR))
        self.emit = Recorder()
        self.sounds: list[tuple[str, float]] = []
        self.apple = Game(
            WORM_APPLE,
            AppleConfig(LEVER, MOTOR, seconds),
            Devices(lever=Lever(LEVER, pins=self.pins), motor=Motor(MOTOR, pins=self.pins)),
            context(Speaker(SoundSet.built_in(), SilentSink(), emit=self._hear), self.emit),
        )
        self.game = asyncio.ensure_future(self.apple.run(lambda: None))

    def _hear(self, event: Event) -> None:
        assert isinstance(event, SoundStarted)
        self._play(event.name)

    def _play(self, name: str) -> None:
        self.sounds.append((name, round(now(), 3)))

    async def pull_and_release(self) -> None:
        self.lever.press()
        await asyncio.sleep(1)
        self.lever.release()

    @property
    def on_s(self) -> list[tuple[float, float | None]]:
        """The times between which the motor was on."""
        return [(round(on, 3), off if off is None else round(off, 3)) for on, off in self.virtual.on_intervals]


@asynccontextmanager
async def playing(seconds: float = 13.0, *, held: bool = False) -> AsyncIterator[Bench]:
    bench = Bench(seconds, held=held)
    await asyncio.sleep(0)
    try:
        yield bench
    finally:
        bench.game.cancel()
        await asyncio.gather(bench.game, return_exceptions=True)


@pytest.mark.parametrize("seconds", [5.0, 13.0, 120.0])
async def test_a_release_starts_the_motor_for_its_time_and_a_sound_ends_the_turn(seconds: float) -> None:
    async with playing(seconds) as bench:
        await bench.pull_and_release()
        await asyncio.sleep(seconds + 5)
        [(on, off)] = bench.on_s
        assert 1.0 <= on <= 1.0 + SOON_S
        assert off is not None
        assert seconds <= off - on + 0.05
        assert off - 1.0 <= seconds + LATE_S
        assert bench.emit.names == TURN
        assert [name for name, _ in bench.sounds] == ["wound", "time_up"]
        assert bench.sounds[1][1] >= off


@pytest.mark.parametrize("held", [False, True])
async def test_a_glitch_starts_nothing_whether_the_lever_is_held_or_not(held: bool) -> None:
    async with playing(held=held) as bench:
        await asyncio.sleep(30)
        line = bench.pins.line(LEVER)
        line.drive(False if held else None)
        bench.lever.release()
        for length_s in (0.0001, 0.001, 0.01, 0.025, 0.04):
            line.drive(None if held else False)
            await asyncio.sleep(length_s)
            line.drive(False if held else None)
            await asyncio.sleep(20)
        assert bench.on_s == []
        assert bench.emit.names == (["apple.wound"] if held else [])
        line.drive(None)
        await asyncio.sleep(1)
        assert len(bench.on_s) == held, "a lever that is held at the start works when it is released"


async def test_a_motor_that_disturbs_the_lever_stops_and_does_not_start_itself_again() -> None:
    async with playing() as bench:
        await bench.pull_and_release()
        await asyncio.sleep(2)
        bench.pins.line(LEVER).drive(False)
        await asyncio.sleep(0.0001)
        bench.pins.line(LEVER).drive(None)
        await asyncio.sleep(20)
        [(_, off)] = bench.on_s
        assert off == pytest.approx(3.0, abs=0.001)


async def test_a_motor_that_cannot_be_driven_ends_the_turn_and_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    write = VirtualPin._set_state

    def fail(pin: VirtualPin, value: float) -> None:
        if value:
            raise OSError("write error")
        write(pin, value)

    async with playing() as bench:
        monkeypatch.setattr(VirtualPin, "_set_state", fail)
        await bench.pull_and_release()
        await asyncio.sleep(0.1)
        assert isinstance(bench.game.exception(), DeviceError)
        assert not bench.apple.state["running"]
        assert bench.emit.names == TURN


@pytest.mark.parametrize("defect", [False, True])
async def test_the_motor_is_off_when_the_game_is_stopped_or_fails_during_a_turn(
    monkeypatch: pytest.MonkeyPatch, defect: bool
) -> None:
    async def fail() -> None:
        await asyncio.sleep(1)
        raise RuntimeError("a defect")

    async with playing() as bench:
        if defect:
            monkeypatch.setattr(bench.apple.devices.lever, "touched", fail)
        await bench.pull_and_release()
        await asyncio.sleep(0.9)
        assert bench.virtual.is_on
        await asyncio.sleep(2 * defect)
        assert bench.game.done() == defect
    assert not bench.virtual.is_on
    assert bench.emit.names == TURN


async def test_the_snapshot_has_the_state_and_the_start_of_a_turn() -> None:
    async with playing(7.0) as bench:
        off = {"running": False, "wound": False, "seconds": 7.0, "started_at": None}

        def snapshot() -> Any:
            return bench.apple.snapshot()["apple"]

        assert snapshot() == off
        await bench.pull_and_release()
        assert snapshot() == {**off, "wound": True}
        await asyncio.sleep(2)
        assert snapshot() == {**off, "running": True, "started_at": pytest.approx(bench.on_s[0][0], abs=0.001)}
        await asyncio.sleep(10)
        assert snapshot() == off
