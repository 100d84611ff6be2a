"""Which pins a motor may be on, told even where a config is too bad to be played with."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from reboard.durable import write_safely
from reboard.errors import ConfigError
from reboard.settings.pins_and_ports import LAST_PIN, PULLED_HIGH_AT_BOOT
from reboard.settings.reading import read_toml
from reboard.settings.state_directory import LAST_GOOD_NAME, state_directory

log = logging.getLogger(__name__)

USUAL_MOTOR_PIN = 13
"""The motor's pin in our own wiring, `hardware/table.toml`."""


RUNNING = Path("/run/reboard/motor-pin")
"""The motor's pin of the service's table, and its config: ``13 /etc/reboard/table.toml``, or ``none …``. A config that
is edited while that table runs does not change it."""
NO_PIN = "none"
MOST_BYTES = 8192


def write_running_pin(pin: int | None, config: Path) -> None:
    """Write the motor's *pin* of the table that starts with the file *config*; on failure, log a warning."""
    line = f"{NO_PIN if pin is None else pin} {config.absolute()}\n"
    try:
        write_safely(RUNNING, line.encode(errors="surrogateescape"))
    except OSError as error:
        log.warning("motor-off will take the motor's pin from the config: %s: %s", RUNNING, error.strerror)


def motor_pins(config: Path) -> list[int]:
    """Return the motor's pin that the table of the file *config* runs with, or ran with last since the Pi started.

    If that is not known, return the pin in the config, and the one in the last good config: a table may have run with
    either. Whatever else is wrong in them does not matter. If neither can be read, return the pin of our own wiring.
    """
    with suppress(OSError, ValueError):
        return _running_pins(config)
    documents = list(_documents(config, state_directory(config) / LAST_GOOD_NAME))
    if not documents:
        return [USUAL_MOTOR_PIN]
    named = (_motor_pin(document) for document in documents)
    return sorted({pin for pin in named if pin is not None})


def _running_pins(config: Path) -> list[int]:
    """Raise ``OSError`` or ``ValueError`` if the file is missing, bad, or of another config."""
    with RUNNING.open("rb") as file:
        pin, _, of_config = file.read(MOST_BYTES).decode(errors="surrogateescape").rstrip("\n").partition(" ")
    if of_config != str(config.absolute()):
        raise ValueError(f"{RUNNING} is of {of_config}")
    if pin == NO_PIN:
        return []
    if not _may_be_motors(number := int(pin)):
        raise ValueError(f"{RUNNING}: GPIO{number} can be no motor's")
    return [number]


def _documents(*files: Path) -> Iterator[dict[str, Any]]:
    for file in files:
        try:
            document, _ = read_toml(file)
        except ConfigError:
            continue
        yield document


def _motor_pin(document: dict[str, Any]) -> int | None:
    apple = document.get("apple")
    pin = apple.get("motor") if isinstance(apple, dict) else None
    return pin if isinstance(pin, int) and _may_be_motors(pin) else None


def _may_be_motors(pin: int) -> bool:
    return max(PULLED_HIGH_AT_BOOT) < pin <= LAST_PIN
