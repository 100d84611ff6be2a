"""``reboard motor-off``: switch every motor off and exit. systemd runs it when the table hangs or has ended.

The module imports little, and reads only the motors' pins from the config.
"""

from __future__ import annotations

import logging
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from reboard.atomic_write import write_safely
from reboard.config.pins_and_ports import LAST_PIN, PULLED_HIGH_AT_BOOT
from reboard.config.reading import LAST_GOOD_NAME, read_toml, state_directory
from reboard.devices.gpio.chip import drive_low
from reboard.errors import ConfigError

log = logging.getLogger(__name__)

USUAL_MOTOR_PIN = 13
"""The pin of the motor in our drawing."""

MOTOR_KEY = "motor"
"""The key for the pin of a motor in every section."""

RUNNING = Path("/run/reboard/motor-pin")
"""The file with the motor pins and the config of the running table: ``13 /etc/reboard/table.toml``, or ``none …``.

The config may change while that table runs."""

NO_PIN = "none"
MOST_BYTES = 8192


def write_running_pins(pins: Sequence[int], config: Path) -> None:
    """Write the motor *pins* of the table that starts with the file *config*. Log a warning if that fails."""
    line = f"{','.join(map(str, pins)) or NO_PIN} {config.absolute()}\n"
    try:
        write_safely(RUNNING, line.encode(errors="surrogateescape"))
    except OSError as error:
        log.warning("motor-off will read the motor's pin from the config: %s: %s", RUNNING, error.strerror)


def motor_pins(config: Path) -> list[int]:
    """Return the motor pins of the table that runs, or ran last since the Pi started, with the file *config*.

    If these are not known, return the pins in the config and in the last good config, because a table may have used
    either. Other mistakes in a config do not matter. If neither can be read, return the pin of our drawing.
    """
    with suppress(OSError, ValueError):
        return _running_pins(config)
    files = (config, state_directory(config) / LAST_GOOD_NAME)
    documents = []
    for file in files:
        with suppress(ConfigError):
            documents.append(read_toml(file)[0])
    if not documents:
        return [USUAL_MOTOR_PIN]
    return sorted({pin for document in documents for pin in _named_pins(document)})


def _running_pins(config: Path) -> list[int]:
    """Return the pins in `RUNNING`. Raises ``OSError`` or ``ValueError`` if it is missing, bad or of another config."""
    with RUNNING.open("rb") as file:
        text, _, of_config = file.read(MOST_BYTES).decode(errors="surrogateescape").rstrip("\n").partition(" ")
    if of_config != str(config.absolute()):
        raise ValueError(f"{RUNNING} is of {of_config}")
    pins = [int(pin) for pin in text.split(",")] if text != NO_PIN else []
    if not all(map(_can_be_motor, pins)):
        raise ValueError(f"{RUNNING}: a motor cannot be on one of the pins {pins}")
    return pins


def _named_pins(document: dict[str, object]) -> Iterator[int]:
    for section in document.values():
        pin = section.get(MOTOR_KEY) if isinstance(section, dict) else None
        if isinstance(pin, int) and _can_be_motor(pin):
            yield pin


def _can_be_motor(pin: int) -> bool:
    return max(PULLED_HIGH_AT_BOOT) < pin <= LAST_PIN


def motor_off(config: Path) -> None:
    """Drive the motor pins of *config* low, and release them.

    Raises `DeviceError` if a pin is in use. A running table holds the pin and guards the motor itself.
    """
    if pins := motor_pins(config):
        drive_low(pins)


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add no arguments."""


def main(args: Namespace) -> None:
    """Switch every motor off."""
    motor_off(args.config)
