"""The config that the table started with last: what it falls back to when the present one is bad."""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from reboard.config import StateConfig, TableConfig, load_config, parse_config
from reboard.errors import ConfigError
from reboard.settings.reading import read_toml

log = logging.getLogger(__name__)

LAST_GOOD_NAME = "table.last-good.toml"

STATE_DIRECTORY = re.compile(r"""^[^#\n]*\bdirectory\s*=\s*["']([^"'\n]+)["']""", re.MULTILINE)
"""No other key of a config is called so."""


@dataclass(frozen=True, slots=True)
class ChosenConfig:
    """A config that can be played with, and, when it is only the last good one, what is wrong with the present one."""

    config: TableConfig
    text: bytes
    problem: str | None = None

    def keep(self) -> None:
        """Make this the last good one: the table has started with it. Waits for the disk; a full one is a warning."""
        path = self.config.state.directory / LAST_GOOD_NAME
        try:
            if not path.exists() or path.read_bytes() != self.text:
                _write_safely(path, self.text)
        except OSError as error:
            log.warning("this config could not be kept as the last good one: %s", error)


def choose_config(path: Path) -> ChosenConfig:
    """The config in the file *path*, or else the last good one, saying so in the log.

    Raises `ConfigError` with what is wrong when there is no last good one either.
    """
    try:
        text = path.read_bytes() if path.is_file() else b""
        return ChosenConfig(load_config(path), text)
    except ConfigError as problem:
        last_good = _state_directory(path) / LAST_GOOD_NAME
        try:
            document, lines = read_toml(last_good)
            # relative paths in it begin where the config lies that it was copied from
            config = parse_config(document, path=path, lines=lines)
        except ConfigError:
            raise problem from None
        log.error("%s\nThe table plays with the last good config, %s.", problem, last_good)
        return ChosenConfig(config, last_good.read_bytes(), str(problem))


def _state_directory(path: Path) -> Path:
    """Where the bad config at *path* keeps its state, as far as can be told: it need not even be TOML."""
    with suppress(OSError):
        if said := STATE_DIRECTORY.search(path.read_text(errors="replace")):
            return path.absolute().parent / said[1]
    return StateConfig().directory


def _write_safely(path: Path, content: bytes) -> None:
    """After this either the old or the new content is there, whenever the plug is pulled."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
