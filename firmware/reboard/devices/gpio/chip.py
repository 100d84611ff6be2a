"""Access to the GPIO chip of the Pi's header: import lgpio, find the chip, and drive pins low to stop motors."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reboard.board import runtime_directory
from reboard.errors import DeviceError

DEVICES = Path("/dev")
MEMORY = Path("/dev/shm")
"""The mount point of a file system in memory, which has space even if the disk is full."""
CONSUMER = "reboard"
"""The consumer name with which reboard requests pins through libgpiod. ``gpioinfo`` shows the name."""

HEADER_LABELS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
"""The possible labels of the GPIO chip of the 40-pin header. The number of the chip differs between kernels."""


def load_lgpio() -> Any:
    """Import the library lgpio and return the module. Raises `DeviceError` if it is not installed."""
    with _lgpio_working_directory():
        try:
            import lgpio
        except ImportError as error:
            raise DeviceError(
                "the library lgpio is missing, so the Pi's pins cannot be used: on a Pi, run "
                "`sudo apt install python3-lgpio`; on any other machine, set GPIOZERO_PIN_FACTORY=mock"
            ) from error
    return lgpio


@contextmanager
def _lgpio_working_directory() -> Iterator[None]:
    # On import, lgpio changes to $LG_WD, makes a pipe there under a fixed name and opens both ends. The name is not
    # needed again, and would block a second process.
    before = Path.cwd()
    in_memory = MEMORY if os.access(MEMORY, os.W_OK | os.X_OK) else None
    with tempfile.TemporaryDirectory(dir=runtime_directory() or in_memory) as directory:
        os.environ["LG_WD"] = directory
        try:
            yield
        finally:
            del os.environ["LG_WD"]
            os.chdir(before)


def header_chip(lgpio: Any) -> int:
    """Return the number of the GPIO chip whose label is in `HEADER_LABELS`. Raises `DeviceError` if there is none."""
    seen: list[str] = []
    chips = sorted(DEVICES.glob("gpiochip*"))
    for path in chips:
        number = int(path.name.removeprefix("gpiochip"))
        try:
            handle = lgpio.gpiochip_open(number)
        except lgpio.error:
            continue
        try:
            _, _, _, label = lgpio.gpio_get_chip_info(handle)
        finally:
            lgpio.gpiochip_close(handle)
        if label in HEADER_LABELS:
            return number
        seen.append(f"{path} ({label})")
    if seen:
        raise DeviceError(
            f"no GPIO chip of this machine belongs to a Raspberry Pi's header; found: {', '.join(seen)}. "
            "Use a Raspberry Pi, or the virtual Pi (reboard-sim)"
        )
    if chips:
        raise DeviceError(
            "the GPIO chips in /dev cannot be opened: use sudo, or add your user to the group gpio and log in again"
        )
    raise DeviceError(
        "this machine has no GPIO chip in /dev: `reboard run` needs a Raspberry Pi. "
        "Elsewhere use the virtual Pi (reboard-sim), or set GPIOZERO_PIN_FACTORY=mock"
    )


def drive_low(pins: Sequence[int]) -> None:
    """Drive all *pins* low, then release them. Raises `DeviceError` after the last pin if any pin failed."""
    factory = os.environ.get("GPIOZERO_PIN_FACTORY", "lgpio").lower()
    (_drive_low if factory == "lgpio" else _drive_low_by_gpiozero)(pins)


def _drive_low(pins: Sequence[int]) -> None:
    lgpio = load_lgpio()
    chip = lgpio.gpiochip_open(header_chip(lgpio))
    try:
        _each(pins, lambda pin: lgpio.gpio_claim_output(chip, pin, 0), lgpio.error)
    finally:
        lgpio.gpiochip_close(chip)


def _drive_low_by_gpiozero(pins: Sequence[int]) -> None:
    # the pins may be driven by the daemon of another library (pigpiod)
    from gpiozero import BadPinFactory, DigitalOutputDevice, GPIOZeroError

    errors = (BadPinFactory, GPIOZeroError, OSError)
    _each(pins, lambda pin: DigitalOutputDevice(pin, initial_value=False).close(), *errors)


def _each(pins: Sequence[int], drive: Callable[[int], object], *errors: type[Exception]) -> None:
    """Call *drive* with each pin. After the last pin, raise `DeviceError` if a call raised one of *errors*."""
    problems = []
    for pin in pins:
        try:
            drive(pin)
        except errors as problem:
            problems.append(f"the motor on GPIO{pin} could not be stopped: {problem}")
    if problems:
        raise DeviceError("; ".join(problems))
