"""The last good config, which the table uses while the current config is invalid."""

from __future__ import annotations

import logging
import shutil
import stat
from pathlib import Path

from reboard.atomic_write import write_safely
from reboard.config.reading import DEFAULT_CONFIG, LAST_GOOD_NAME, parse_toml, read_file, state_directory
from reboard.editions.edition import edition_file, joined_name, split_name
from reboard.errors import ConfigError
from reboard.record import Record
from reboard.table_config import TableConfig, parse_config

log = logging.getLogger(__name__)

LAST_GOOD_EDITIONS = "editions.last-good"
"""The name of the folder in the state directory for a copy of the edition file that the last good config names.

The copy has the name of the original file, because another name would start a new game."""

OWNER_ONLY = 0o600
"""The mode of each file that is written here."""


class ChosenConfig(Record):
    """A valid config. If it is the last good config, *problem* says what is wrong with the current config.

    *raw* is the content of the config file. *raw_edition* is the content of the user's edition file, or ``None`` if the
    edition is built in.
    """

    config: TableConfig
    raw: bytes
    raw_edition: bytes | None
    problem: str | None = None

    def keep(self) -> None:
        """Save this config as the last good config. Waits for the disk. Logs a warning if saving fails."""
        state = self.config.state.directory
        try:
            kept = None
            if self.raw_edition is not None:
                kept = _kept_edition(state, self.raw, self.config.edition)
                _keep(kept, self.raw_edition)
            _keep(state / LAST_GOOD_NAME, self.raw)
            for folder in (state / LAST_GOOD_EDITIONS).glob("*"):
                if not kept or folder != kept.parent:
                    shutil.rmtree(folder, ignore_errors=True)
        except OSError as error:
            log.warning(
                "this config was not saved as the last good one: %s. Check the disk's free space and permissions",
                error,
            )


def read_config(path: Path) -> ChosenConfig:
    """Return the config in the file *path*. Raises `ConfigError` if it is invalid or cannot be read."""
    raw = read_file(path)
    document, lines = parse_toml(raw, path)
    config = parse_config(document, path=path, lines=lines)
    return ChosenConfig(config, raw, _raw_edition(config))


def choose_config(path: Path) -> ChosenConfig:
    """Return the config in the file *path*, or the last good config if the file is invalid, and log the fault.

    Raises `ConfigError` if neither config is valid.
    """
    chosen = usable_config(path)
    if chosen.problem:
        kept = chosen.config.state.directory / LAST_GOOD_NAME
        log.error("%s\nUntil this is corrected, reboard uses the last good config, %s.", chosen.problem, kept)
    return chosen


def usable_config(path: Path) -> ChosenConfig:
    """Return the config in the file *path*, or the last good config if the file is invalid.

    Raises `ConfigError` if neither config is valid. Also raises it if a file that the user named with ``-c`` does not
    exist: the name is probably mistyped, and the last good config may drive other pins.
    """
    try:
        return read_config(path)
    except ConfigError as problem:
        if path != DEFAULT_CONFIG and not path.exists():
            raise
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
    # relative paths begin in the folder of the config from which it was copied
    return parse_config(document, path=path, lines=lines), raw


def _kept_edition(state: Path, raw: bytes, edition: str) -> Path:
    """Return the path for the copy of *edition* that belongs to the config *raw*. Each config has a separate folder."""
    import hashlib  # it loads OpenSSL, 4 MB, and a built-in edition needs no copy

    return state / LAST_GOOD_EDITIONS / hashlib.sha256(raw).hexdigest()[:16] / Path(split_name(edition)[0]).name


def _raw_edition(config: TableConfig) -> bytes | None:
    file = edition_file(config.edition)
    return read_file(file) if file else None


def _keep(path: Path, content: bytes) -> None:
    """Write *content* to the file *path*, unless the file already contains it. Each write wears the memory card.

    Only the owner can read the file, because the config has the hash of the host's PIN.
    """
    if not path.is_file() or path.read_bytes() != content:
        write_safely(path, content, mode=OWNER_ONLY)
    elif stat.S_IMODE(path.stat().st_mode) != OWNER_ONLY:
        path.chmod(OWNER_ONLY)
