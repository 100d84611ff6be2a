from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from reboard.devices.gpio import chip
from reboard.errors import DeviceError
from reboard.service.motor_off import motor_off
from tests.fake_lgpio import FakeLgpio

CONFIG = "[apple]\nlever = 22\nmotor = 18\n"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(CONFIG + f'[state]\ndirectory = "{tmp_path}"\n')
    return path


@pytest.fixture
def lgpio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeLgpio:
    """A Raspberry Pi 4."""
    (tmp_path / "gpiochip0").touch()
    library = FakeLgpio({0: "pinctrl-bcm2711"})
    monkeypatch.setattr(chip, "DEVICES", tmp_path)
    monkeypatch.setitem(sys.modules, "lgpio", library)
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    return library


def test_the_motors_pin_is_driven_low(config: Path, lgpio: FakeLgpio) -> None:
    motor_off(config)
    assert lgpio.claimed == [(18, 0)]
    assert not lgpio.opened


def test_every_pin_that_may_be_a_motors_is_tried(config: Path, lgpio: FakeLgpio) -> None:
    (config.parent / "table.last-good.toml").write_text(CONFIG.replace("18", "19"))
    lgpio.busy = {18}
    with pytest.raises(DeviceError, match="the motor on GPIO18 could not be stopped: GPIO busy"):
        motor_off(config)
    assert lgpio.claimed == [(19, 0)]
    assert not lgpio.opened


def test_a_table_without_a_motor_needs_no_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", None)
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


@pytest.mark.realtime
def test_it_starts_without_the_modules_of_a_table(config: Path) -> None:
    asked = f"import sys; from reboard.cli import main; main(['motor-off', '-c', {str(config)!r}]); print(*sys.modules)"
    environment = {name: value for name, value in os.environ.items() if name != "GPIOZERO_PIN_FACTORY"}
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=60, env=environment
    )
    loaded = set(done.stdout.split())
    assert "reboard.service.motor_off" in loaded
    assert not loaded & {"gpiozero", "asyncio", "sqlite3", "reboard.table_config", "reboard.table"}
