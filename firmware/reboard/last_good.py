"""The config that the table started with last: what it falls back to when the present one is bad."""

from __future__ import annotations

import hashlib
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

from reboard.config import TableConfig, parse_config
from reboard.durable import write_safely
from reboard.edition import edition_file, joined_name, split_name
from reboard.errors import ConfigError
from reboard.settings.reading import parse_toml, read_file
from reboard.settings.state_directory import LAST_GOOD_NAME, state_directory

log = logging.getLogger(__name__)

LAST_GOOD_EDITIONS = "editions.last-good"
"""Where an edition of the owner's is kept beside it, under its name: another name would begin another game."""


@dataclass(frozen=True, slots=True)
class ChosenConfig:
    """A config that can be played with, and, when it is only the last good one, what is wrong with the present one.

    *raw* is the file that says it, and *raw_edition* that of an edition which is not in the box.
    """

    config: TableConfig
    raw: bytes
    raw_edition: bytes | None
    problem: str | None = None

    def keep(self) -> None:
        """Make this the last good one: the table has started with it. Waits for the disk; a full one is a warning."""
        state = self.config.state.directory
        try:
            if self.raw_edition is not None:
                _keep(_kept_edition(state, self.raw, self.config.edition), self.raw_edition)
            _keep(state / LAST_GOOD_NAME, self.raw)
            _forget_all_but(_kept_edition(state, self.raw, self.config.edition))
        except OSError as error:
            log.warning("this config could not be kept as the last good one: %s", error)


def read_config(path: Path) -> ChosenConfig:
    """The config in the file *path*. Raises `ConfigError` with what is wrong when it cannot be played with."""
    raw = read_file(path)
    document, lines = parse_toml(raw, path)
    config = parse_config(document, path=path, lines=lines)
    return ChosenConfig(config, raw, _raw_edition(config))


def choose_config(path: Path) -> ChosenConfig:
    """The config in the file *path*, or else the last good one, saying so in the log.

    Raises `ConfigError` with what is wrong when there is no last good one either.
    """
    chosen = usable_config(path)
    if chosen.problem:
        kept = chosen.config.state.directory / LAST_GOOD_NAME
        log.error("%s\nThe table plays with the last good config, %s.", chosen.problem, kept)
    return chosen


def usable_config(path: Path) -> ChosenConfig:
    """The config in the file *path*, or else the last good one. Raises `ConfigError` like `choose_config`."""
    try:
        return read_config(path)
    except ConfigError as problem:
        try:
            config, raw = _last_good(state_directory(path), path)
            return ChosenConfig(config, raw, _raw_edition(config), str(problem))
        except ConfigError:
            raise problem from None


def _last_good(state: Path, path: Path) -> tuple[TableConfig, bytes]:
    raw = read_file(state / LAST_GOOD_NAME)
    document, lines = parse_toml(raw, path)
    named = str(document.get("edition"))
    edition = _kept_edition(state, raw, named)
    if edition.is_file():
        document["edition"] = joined_name(edition.absolute(), split_name(named)[1])
    # relative paths in it begin where the config lies that it was copied from
    return parse_config(document, path=path, lines=lines), raw


def _kept_edition(state: Path, raw: bytes, edition: str) -> Path:
    """Where the edition of the config *raw* is kept: apart from any other's, for which it might not do."""
    return state / LAST_GOOD_EDITIONS / hashlib.sha256(raw).hexdigest()[:16] / Path(split_name(edition)[0]).name


def _forget_all_but(edition: Path) -> None:
    for folder in edition.parent.parent.glob("*"):
        if folder != edition.parent:
            shutil.rmtree(folder, ignore_errors=True)


def _raw_edition(config: TableConfig) -> bytes | None:
    file = edition_file(config.edition)
    return read_file(file) if file else None


def _keep(path: Path, content: bytes) -> None:
    """Write it, unless that is what stands there already: a disk that is not written to does not wear."""
    if not path.is_file() or path.read_bytes() != content:
        write_safely(path, content)
