"""The settings of a virtual table, which are its config and its state directory."""

from __future__ import annotations

import errno
import shlex
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from reboard.accessories.installed import BrokenAccessory
from reboard.config.reading import Lines, did_you_mean, parse_toml, read_toml
from reboard.errors import ConfigError, ReboardError
from reboard.table_config import TableConfig, TableSection, parse_config
from reboard_sim.accessories.installed import simulated_accessories


class StateDirectoryError(ReboardError, OSError):
    """An error for a state directory that cannot hold a ledger."""


MEMORY = Path("/dev/shm")
"""The directory of Linux's in-memory file system. A temporary ledger there does not wait for a disk."""


READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


def temporary_state() -> tempfile.TemporaryDirectory[str]:
    """Create a temporary directory for a ledger and return it. Use `MEMORY` if it exists."""
    return tempfile.TemporaryDirectory(prefix="reboard-", dir=MEMORY if MEMORY.is_dir() else None)


def state_directory(path: Path) -> Path:
    """Create the state directory *path* if it is missing, and return the path.

    Raises `StateDirectoryError` if a file cannot be created in the directory. A directory without write permission is
    accepted: the table runs, and its banker unit shows the fault.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as problem:
        if problem.errno in READ_ONLY:
            return path
        raise StateDirectoryError(
            f"--state {path}: this directory cannot hold a ledger: {problem.strerror}. Name another directory"
        ) from None


OUR_WIRING = Path(str(resources.files("reboard.setup").joinpath("table.toml")))
"""The path of the packaged ``table.toml``, which has the wiring from the drawings."""
PHONES = OUR_WIRING.with_name("phones.toml")
"""The path of the packaged config of a table that is only phones."""


@dataclass(frozen=True)
class Scene:
    """The settings of a virtual table.

    *document* is the parsed TOML of the file *path*, including later changes and the state directory. *lines* has the
    line numbers of the settings in the file.
    """

    path: Path
    document: Mapping[str, Any]
    lines: Lines

    @property
    def is_ours(self) -> bool:
        """Whether the settings were read from `OUR_WIRING`."""
        return self.path == OUR_WIRING

    @property
    def remark(self) -> str:
        """What a recorded play says about running it, or ``""``."""
        if self.is_ours:
            return ""
        name = shlex.quote(self.path.name)
        return f"This play needs the wiring in {name}: run it with reboard-sim play -c {name} FILE"

    @classmethod
    def load(cls, path: Path | None, state: Path, *, edition: str | None = None) -> Scene:
        """Return the scene of the ``table.toml`` at *path* (``None``: `OUR_WIRING`), with the state directory *state*.

        *edition* replaces the file's edition. Raises `ConfigError` for a file or an edition that cannot be used.
        """
        try:
            (path or OUR_WIRING).stat()
        except FileNotFoundError:
            remedy = "Name another file with -c, or leave -c out to use the wiring from the drawings"
            raise ConfigError(f"{path}: this file does not exist. {remedy}") from None
        except (OSError, ValueError):
            pass  # read_toml says why
        document, lines = read_toml(path or OUR_WIRING)
        scene = cls(path or OUR_WIRING, document, lines)._kept_in(state)
        if edition is None:
            return scene
        try:
            return scene.changed("edition", f'"{edition}"')
        except ConfigError as problem:
            raise ConfigError(f"--edition {edition}: {problem}") from None

    @classmethod
    def of_text(cls, text: str, name: Path, state: Path) -> Scene:
        """Return the scene of the *text* of a ``table.toml``, with the state directory *state*.

        *name* is the file name in messages. Raises `ConfigError` for a text that cannot be used.
        """
        document, lines = parse_toml(text.encode("utf-8", "replace"), name)
        return cls(name, document, lines)._kept_in(state)

    def _kept_in(self, state: Path) -> Scene:
        self.config()
        return replace(self, document={**self.document, "state": {"directory": str(state.absolute())}})

    def changed(self, setting: str, value: str | None = None) -> Scene:
        """Return a scene in which *setting* has the TOML *value*, or is removed (``None``).

        Raises `ConfigError`, without a file name, for an invalid change. A change of ``state`` is also invalid, so that
        a link from another person cannot change the user's ledger.
        """
        if setting.partition(".")[0] == "state":
            raise ConfigError("A play cannot change [state]. Use --state DIR.")
        if value is None:
            _check_name(setting)
        elif (section := setting.partition(".")[0]) not in self.document:
            _check_name(section)
        document = with_setting(self.document, setting, value)
        parse_config(document, path=self.path, where="")
        return replace(self, document=document)

    def config(self) -> TableConfig:
        """Return the config for the firmware, adapted to the simulator. Raises `ConfigError` for invalid settings."""
        config = parse_config(self.document, path=self.path, lines=self.lines)
        for name, accessory in simulated_accessories().items():
            if name in config.sections and not isinstance(config.sections[name], BrokenAccessory):
                config = config.with_section(name, accessory.prepare(config.sections[name], self.document[name]))
        return config


def with_setting(document: Mapping[str, Any], setting: str, toml_value: str | None) -> dict[str, Any]:
    """Return a copy of *document* with one setting changed, such as ``block.quiet`` to ``true``, or removed (``None``).

    A bare word that is not a TOML value counts as text. Raises `ConfigError` for any other invalid value, and for a key
    inside a value that is not a section.
    """
    changed = table = dict(document)
    *sections, name = setting.split(".")
    for section in sections:
        if toml_value is None and section not in table:
            return changed
        if not isinstance(inner := table.get(section, {}), dict):
            raise ConfigError(f"there is no setting {setting}, because {section} is not a section")
        table[section] = table = dict(inner)
    if toml_value is None:
        table.pop(name, None)
    else:
        table[name] = _value(toml_value)
    return changed


def _value(toml_value: str) -> object:
    try:
        parsed = tomllib.loads(f"value = {toml_value}")
    except (ValueError, RecursionError) as error:
        is_a_word = toml_value.strip() and toml_value.isprintable() and toml_value[0] not in "[{\"'"
        if not is_a_word:
            raise ConfigError(f"{toml_value!r} is not a TOML value: {error}") from None
        return toml_value
    if len(parsed) > 1:
        raise ConfigError(f"{toml_value!r} is more than one value: write only one value")
    return parsed["value"]


def _check_name(setting: str) -> None:
    keys: Mapping[str, Any] | None = TableSection(Path()).keys
    for name in setting.split("."):
        if keys is None:
            return
        if name not in keys:
            raise ConfigError(f"there is no setting {setting}{did_you_mean(name, keys)}")
        keys = getattr(keys[name], "keys", None)
