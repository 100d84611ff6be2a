"""``reboard motor-off``: switch every motor off and exit.

systemd runs it at boot and whenever the table or safe mode stops, also after a crash or a hang. The module
imports few other modules, and reads only the motors' pins from the config.
"""

from __future__ import annotations

import logging
from argparse import Namespace
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
"""The BCM number of the motor's pin in reboard's wiring drawing."""

MOTOR_KEY = "motor"
"""The key of the motor's pin in a section of the config."""

RUNNING = Path("/run/reboard/motor-pin")
"""The file with the motor pins of the running table and the path of its config: ``13 /etc/reboard/table.toml``.

Without a motor, it begins with `NO_PIN`. The file is needed because the config can change while the table is running.
"""

NO_PIN = "none"
MOST_BYTES = 8192


def write_running_pins(pins: Sequence[int], config: Path) -> None:
    """Write the motor *pins* and the path *config* of the starting table to `RUNNING`. Log a warning if that fails."""
    line = f"{','.join(map(str, pins)) or NO_PIN} {config.absolute()}\n"
    try:
        write_safely(RUNNING, line.encode(errors="surrogateescape"))
    except OSError as error:
        what = "%s cannot be written: %s. `reboard motor-off` will read the motor's pin from the config"
        log.warning(what, RUNNING, error.strerror)


def motor_pins(config: Path) -> list[int]:
    """Return the motor pins of the running table with *config*, or of the last such table since the Pi started.

    If these pins are unknown, return the pins in the config and in the last good config, because a table may use
    either. Ignore other mistakes in these files. If neither file can be read, return `USUAL_MOTOR_PIN`.
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
    """Return the motor pins in `RUNNING`.

    Raises ``OSError`` if the file cannot be read, and ``ValueError`` if it is invalid or for another config.
    """
    with RUNNING.open("rb") as file:
        text, _, of_config = file.read(MOST_BYTES).decode(errors="surrogateescape").rstrip("\n").partition(" ")
    if of_config != str(config.absolute()):
        raise ValueError(f"{RUNNING} belongs to another config: {of_config}")
    pins = [int(pin) for pin in text.split(",")] if text != NO_PIN else []
    if not all(map(_can_be_motor, pins)):
        raise ValueError(f"{RUNNING} names a pin that a motor cannot be on: {pins}")
    return pins


def _named_pins(document: dict[str, object]) -> Iterator[int]:
    for section in document.values():
        pin = section.get(MOTOR_KEY) if isinstance(section, dict) else None
        if isinstance(pin, int) and _can_be_motor(pin):
            yield pin


def _can_be_motor(pin: int) -> bool:
    return max(PULLED_HIGH_AT_BOOT) < pin <= LAST_PIN


def motor_off(config: Path) -> None:
    """Drive the motor pins of *config* low, and release the pins.

    Raises `DeviceError` if a pin cannot be driven, for example because a running table uses it.
    """
    if pins := motor_pins(config):
        drive_low(pins)


def main(args: Namespace) -> None:
    """Switch every motor off."""
    motor_off(args.config)
