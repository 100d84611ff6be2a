from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from gpiozero import DigitalOutputDevice
from gpiozero.pins.mock import MockFactory, MockPWMPin

from reboard import raspberry_pi
from reboard.config import reading
from reboard.config.reading import LAST_GOOD_NAME
from reboard.devices.audio.libraries import SilentSink
from reboard.devices.speaker import Speaker
from reboard.errors import DeviceError
from reboard.service import safe_mode as module
from reboard.service.safe_mode import safe_mode

CONFIG = """
[block]
button = 17
lamp = 20
[apple]
lever = 22
motor = 18
[speaker]
library = "silent"
device = "the hall"
[state]
directory = "state"
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reading, "DEFAULT_STATE_DIRECTORY", tmp_path / "state")
    path = tmp_path / "table.toml"
    path.write_text(CONFIG)
    return path


@pytest.fixture
def pins(monkeypatch: pytest.MonkeyPatch) -> MockFactory:
    pins = MockFactory(pin_class=MockPWMPin)
    monkeypatch.setattr(raspberry_pi, "open_pins", lambda _: pins)
    return pins


@pytest.fixture(autouse=True)
def alarms(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The times of the alarm's tones, in seconds."""
    times: list[float] = []
    play = Speaker.play

    def noting(speaker: Speaker, name: str) -> float:
        times.append(asyncio.get_running_loop().time())
        return play(speaker, name)

    monkeypatch.setattr(Speaker, "play", noting)
    return times


async def stay_for(seconds: float, config: Path, *, look: Callable[[], object] = lambda: None) -> None:
    """Run safe mode, and call *look* just before it ends."""
    loop = asyncio.get_running_loop()
    loop.call_later(seconds - 0.1, look)
    # the virtual clock would jump over what comes from outside the loop
    loop.call_later(seconds, signal.raise_signal, signal.SIGTERM)
    await safe_mode(config)


async def test_the_motors_pin_is_held_low(config: Path, pins: MockFactory) -> None:
    motor = pins.pin(18)
    held: list[tuple[str, bool]] = []
    await stay_for(2, config, look=lambda: held.append((motor.function, bool(motor.state))))
    assert held == [("output", False)]


async def test_a_pin_that_cannot_be_used_leaves_the_other_motors_and_the_lamp(config: Path, pins: MockFactory) -> None:
    config.write_text(CONFIG + "[windmill]\nmotor = 19\n")
    (config.parent / "state").mkdir()
    (config.parent / "state" / LAST_GOOD_NAME).write_text(CONFIG)
    busy = DigitalOutputDevice(18, initial_value=True, pin_factory=pins)
    second, lamp = pins.pin(19), pins.pin(20)
    held: list[str] = []
    await stay_for(2, config, look=lambda: held.append(second.function))
    busy.close()
    assert held == ["output"]
    assert any(state.state for state in lamp.states)


async def test_the_lamp_flashes_three_times_and_pauses(config: Path, pins: MockFactory) -> None:
    lamp = pins.pin(20)
    await stay_for(3.9, config)
    lit = [bool(state.state) for state in lamp.states if state.state is not None]
    assert lit.count(True) == 6, "twice in four seconds"
    assert not lit[-1]


async def test_the_alarm_sounds_a_few_times_and_not_all_night(
    config: Path, pins: MockFactory, alarms: list[float]
) -> None:
    await stay_for(2 * 3600, config)
    assert len(alarms) == 9
    first, second = alarms[0], alarms[3]
    assert 300 < second - first < 310


async def test_a_config_that_cannot_be_read_leaves_the_lamps_pin_alone(
    config: Path, pins: MockFactory, alarms: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str | None, str | None]] = []

    def open_sink(library: str | None, device: str | None, *, keep_awake: bool) -> SilentSink:
        asked.append((library, device))
        return SilentSink()

    monkeypatch.setattr(module, "open_sink", open_sink)
    nonsense = config.with_name("nonsense.toml")
    nonsense.write_text("nonsense")
    taken: set[str] = set()
    await stay_for(4, nonsense, look=lambda: taken.update(pin.info.name for pin in pins.pins.values()))
    assert taken == {"GPIO13"}, "the motor's in our own wiring"
    assert asked == [(None, None)]
    assert alarms


async def test_without_pins_there_is_still_the_alarm(
    config: Path, alarms: list[float], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_pins(_: str) -> None:
        raise DeviceError("no GPIO chip here")

    monkeypatch.setattr(raspberry_pi, "open_pins", no_pins)
    await stay_for(4, config)
    assert alarms
    assert "no GPIO chip here" in caplog.text
    assert "sudo systemctl restart reboard" in caplog.text
