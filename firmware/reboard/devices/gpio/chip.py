"""Access to the GPIO chip of the Pi's header through libgpiod: find the chip, request pins, drive pins low."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reboard.config.pins_and_ports import BOOT_CONFIG
from reboard.errors import DeviceError
from reboard.languages import translatable

if TYPE_CHECKING:
    from gpiod import LineRequest, LineSettings

DEVICES = Path("/dev")
CONSUMER = "reboard"
"""The consumer name with which reboard requests pins from the kernel. ``gpioinfo`` shows the name."""

LGPIO = "lg"
"""The consumer name with which lgpio requests pins from the kernel, in every program."""

TABLES = {CONSUMER, LGPIO}
"""The possible consumer names of a running table: with our pin factory, and with lgpio."""

NO_NAME = "the kernel, or a program without a name"
"""The text for the user of a pin without a consumer name: with some kernels a bus, such as SPI, has none."""

HOW_TO_FREE = {
    "*onewire*": "Remove the line dtoverlay=w1-gpio from {boot_config}, then run `sudo reboot`",
    "w1*": "Remove the line dtoverlay=w1-gpio from {boot_config}, then run `sudo reboot`",
    "spi*": "Run `sudo raspi-config nonint do_spi 1`, then `sudo reboot`",
    "sdmode": "The amplifier's overlay uses the pin: change the overlay's line in {boot_config} to "
    "dtoverlay=max98357a,no-sdmode, then run `sudo reboot`",
    "sysfs": "A program exported the pin and did not release it: run `echo {pin} | sudo tee /sys/class/gpio/unexport`",
    CONSUMER: "Another table, or setup, uses the pin: stop that program, which `sudo reboard doctor` names",
    LGPIO: "Another program uses the pin through lgpio: stop that program, which `sudo reboard doctor` names",
    NO_NAME: "Choose another pin, or switch the bus that has it (I²C, SPI, I²S) off in `sudo raspi-config`",
    "*": "Free the pin, or wire the device to another pin and change the pin in table.toml",
}
"""The instructions to free a pin, keyed by a pattern for the name of the pin's user. The first that matches counts."""

NO_PERMISSION = translatable("Use sudo, or add your user to the group gpio and log in again")

HEADER_LABELS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
"""The possible labels of the GPIO chip of the 40-pin header. The number of the chip differs between kernels."""

USUAL_FACTORY = "gpiod"
THROUGH_THE_KERNEL = (USUAL_FACTORY, "lgpio")
"""The pin factories whose pins the kernel releases when their program exits. libgpiod can then drive these pins."""


def pin_factory_name() -> str:
    """Return the environment variable ``GPIOZERO_PIN_FACTORY``; without it, return ``gpiod``."""
    return os.environ.get("GPIOZERO_PIN_FACTORY", USUAL_FACTORY)


def load_gpiod() -> Any:
    """Import libgpiod's Python module and return it. Raises `DeviceError` if it is missing or older than 2."""
    try:
        import gpiod
        import gpiod.line
    except ImportError as error:
        raise DeviceError(
            f"the library gpiod, 2.1 or newer, is missing ({error}), so the Pi's pins cannot be used: on a Pi, run "
            "`sudo apt install python3-libgpiod`, or `pip install 'gpiod>=2.1'`; on any other machine, set "
            "GPIOZERO_PIN_FACTORY=mock"
        ) from error
    return gpiod


def header_chip() -> Path:
    """Return the device file of the GPIO chip whose label is in `HEADER_LABELS`, such as ``/dev/gpiochip0``.

    Raises `DeviceError` if there is none.
    """
    gpiod = load_gpiod()
    seen: list[str] = []
    unreadable: list[str] = []
    for path in sorted(DEVICES.glob("gpiochip*")):
        try:
            with gpiod.Chip(str(path)) as chip:
                label = chip.get_info().label
        except PermissionError as error:
            unreadable.append(f"{path}: {error.strerror}. {NO_PERMISSION}")
            continue
        except OSError as error:
            unreadable.append(f"{path}: {error.strerror or error}. Restart the machine")
            continue
        if label in HEADER_LABELS:
            return path
        seen.append(f"{path} ({label})")
    if seen:
        raise DeviceError(
            f"no GPIO chip of this machine belongs to a Raspberry Pi's header; found: {', '.join(seen)}. "
            "Use a Raspberry Pi, or set GPIOZERO_PIN_FACTORY=mock"
        )
    if unreadable:
        raise DeviceError(f"the GPIO chips cannot be opened: {unreadable[0]}")
    raise DeviceError(
        "this machine has no GPIO chip in /dev: reboard needs a Raspberry Pi. Elsewhere set GPIOZERO_PIN_FACTORY=mock"
    )


def how_to_free(pin: int, user: str) -> str:
    """Return the instructions to free *pin* from *user*, the consumer name or `NO_NAME`."""
    advice = next(advice for pattern, advice in HOW_TO_FREE.items() if fnmatch(user, pattern))
    return f"{advice.format(pin=pin, boot_config=BOOT_CONFIG)}."


def request_pin(path: Path, pin: int, settings: LineSettings) -> LineRequest:
    """Request *pin* of the GPIO chip *path* from the kernel.

    Raises `DeviceError` with the name of the pin's user if the pin is in use, and ``OSError`` for other problems.
    """
    gpiod = load_gpiod()
    with gpiod.Chip(str(path)) as chip:
        try:
            request: LineRequest = chip.request_lines({pin: settings}, CONSUMER)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            user = chip.get_line_info(pin).consumer or NO_NAME
            raise DeviceError(f"GPIO{pin} is used by {user}. {how_to_free(pin, user)}") from error
    return request


def drive_low(pins: Sequence[int]) -> None:
    """Drive all *pins* low, then release them. Raises `DeviceError` after the last pin if any pin failed."""
    is_usual = pin_factory_name().lower() in THROUGH_THE_KERNEL
    (_drive_low if is_usual else _drive_low_by_gpiozero)(pins)


def _drive_low(pins: Sequence[int]) -> None:
    gpiod = load_gpiod()
    low = gpiod.LineSettings(direction=gpiod.line.Direction.OUTPUT, output_value=gpiod.line.Value.INACTIVE)
    chip = header_chip()
    _each(pins, lambda pin: request_pin(chip, pin, low).release(), DeviceError, OSError)


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
