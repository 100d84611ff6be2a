from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gpiozero import Device, OutputDevice
from gpiozero.pins.mock import MockFactory

from reboard.config import reading
from reboard.config.reading import LAST_GOOD_NAME
from reboard.errors import DeviceError
from reboard.service import motor_off as module
from reboard.service.motor_off import USUAL_MOTOR_PIN, motor_off, motor_pins
from tests.fake_gpiod import FakeGpiod
from tests.waiting import PATIENCE_S

CONFIG = "[apple]\nlever = 22\nmotor = 18\n"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(CONFIG + f'[state]\ndirectory = "{tmp_path}"\n')
    return path


@pytest.fixture
def gpiod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeGpiod:
    """A Raspberry Pi 4."""
    library = FakeGpiod({0: "pinctrl-bcm2711"})
    library.install(monkeypatch, tmp_path)
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    return library


def driven(gpiod: FakeGpiod) -> dict[int, list[bool | None]]:
    """The levels to which each pin was driven."""
    assert not gpiod.opened
    assert not gpiod.claimed
    return {request.pin: request.driven for request in gpiod.requests}


@pytest.mark.parametrize("factory", [None, "gpiod", "LGPIO"])
def test_the_motors_pin_is_driven_low_and_released(
    config: Path, gpiod: FakeGpiod, factory: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if factory:
        monkeypatch.setenv("GPIOZERO_PIN_FACTORY", factory)
    motor_off(config)
    assert driven(gpiod) == {18: [False]}


def test_every_pin_that_may_be_a_motors_is_tried(config: Path, gpiod: FakeGpiod) -> None:
    (config.parent / "table.last-good.toml").write_text(CONFIG.replace("18", "19"))
    gpiod.users[18] = "fan"
    with pytest.raises(DeviceError, match=r"the motor on GPIO18 could not be stopped: .*\bfan\b"):
        motor_off(config)
    assert driven(gpiod) == {19: [False]}


def test_a_table_without_a_motor_needs_no_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpiod", None)
    config = tmp_path / "table.toml"
    config.write_text(f'[block]\nbutton = 17\n[state]\ndirectory = "{tmp_path}"\n')
    motor_off(config)


def test_another_pin_library_is_used_if_the_environment_names_it(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pins = MockFactory()
    pin = pins.pin(18)
    pin.drive_high()
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setattr(Device, "pin_factory", pins)
    motor_off(config)
    assert [state.state for state in pin.states][-1:] == [False]


def test_another_pin_library_too_is_tried_with_every_pin(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (config.parent / LAST_GOOD_NAME).write_text(CONFIG.replace("18", "19"))
    pins = MockFactory()
    pin = pins.pin(19)
    pin.drive_high()
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setattr(Device, "pin_factory", pins)
    with OutputDevice(18), pytest.raises(DeviceError, match="GPIO18"):
        motor_off(config)
    assert [state.state for state in pin.states][-1:] == [False]


@pytest.mark.realtime
def test_it_starts_without_the_modules_of_a_table(config: Path) -> None:
    asked = f"import sys; from reboard.cli import main; main(['motor-off', '-c', {str(config)!r}]); print(*sys.modules)"
    environment = {name: value for name, value in os.environ.items() if name != "GPIOZERO_PIN_FACTORY"}
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=PATIENCE_S, env=environment
    )
    loaded = set(done.stdout.split())
    assert "reboard.service.motor_off" in loaded
    assert not loaded & {"gpiozero", "asyncio", "sqlite3", "reboard.table_config", "reboard.table"}


STATE = '[state]\ndirectory = "state"\n'
APPLE = "[apple]\nlever = 22\nmotor = {}\n" + STATE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reading, "DEFAULT_STATE_DIRECTORY", tmp_path / "state")
    monkeypatch.setattr(module, "RUNNING", tmp_path / "motor-pin")
    (tmp_path / "state").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("present", "last_good", "pins"),
    [
        (APPLE.format(18), None, [18]),
        (APPLE.format(18), APPLE.format(19), [18, 19]),
        (APPLE.format(18) + "[windmill]\nmotor = 20\n", None, [18, 20]),
        (APPLE.format(18) + "[wiring]\nmotor = { running_ma = 160 }\n", None, [18]),
        (APPLE.format(18) + '[block]\nbuton = "seventeen"\n', None, [18]),
        ("block = 3\n" + APPLE.format(18), None, [18]),
        ("nonsense", APPLE.format(19), [19]),
        (None, APPLE.format(19), [19]),
        ("nonsense", "rubbish", [USUAL_MOTOR_PIN]),
        (None, None, [USUAL_MOTOR_PIN]),
        (STATE + "[block]\nbutton = 17\n", None, []),
        (STATE + "[apple]\nlever = 22\n", APPLE.format(19), [19]),
        *((APPLE.format(motor), None, []) for motor in ("8", "28", "-1", '"13"', "true", "13.5", "[13]")),
    ],
)
def test_a_motor_is_where_the_config_has_it_or_the_last_good_one_had_it(
    folder: Path, present: str | None, last_good: str | None, pins: list[int]
) -> None:
    if present is not None:
        (folder / "table.toml").write_text(present)
    if last_good is not None:
        (folder / "state" / LAST_GOOD_NAME).write_text(last_good)
    assert motor_pins(folder / "table.toml") == pins


@pytest.mark.parametrize(
    "text", ["", "19", "19 /another.toml\n", "7 {}\n", "28 {}\n", "x {}\n", "\0" * 10_000, "\xff {}"]
)
def test_a_bad_file_of_the_running_table_does_not_count(folder: Path, text: str) -> None:
    (folder / "table.toml").write_text(APPLE.format(18))
    module.RUNNING.write_bytes(text.replace("{}", str(folder / "table.toml")).encode("latin-1"))
    assert motor_pins(folder / "table.toml") == [18]
