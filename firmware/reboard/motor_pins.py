"""Which pins a motor may be on, told even where a config is too bad to be played with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reboard.errors import ConfigError
from reboard.settings.pins_and_ports import LAST_PIN, PULLED_HIGH_AT_BOOT
from reboard.settings.reading import read_toml
from reboard.settings.state_directory import LAST_GOOD_NAME, state_directory

USUAL_MOTOR_PIN = 13
"""The motor's pin in our own wiring, `hardware/table.toml`."""


def motor_pins(config: Path) -> list[int]:
    """The motor's pin in the file *config*, and the one in the last good config: a table may have run with either.

    Whatever else is wrong in them does not matter. When neither can be read, it is that of our own wiring.
    """
    documents = list(_documents(config, state_directory(config) / LAST_GOOD_NAME))
    if not documents:
        return [USUAL_MOTOR_PIN]
    named = (_motor_pin(document) for document in documents)
    return sorted({pin for pin in named if pin is not None})


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
    return pin if isinstance(pin, int) and pin <= LAST_PIN and pin > max(PULLED_HIGH_AT_BOOT) else None
