"""A machine in a folder that records its commands."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from installer.layout import CURRENT, VERSIONS
from installer.target import Target
from installer.version import WHEELS_OF_THE_OS, WHOLE, Version

PIP = WHEELS_OF_THE_OS / "pip-23.0.1-py3-none-any.whl"
READY, BROKEN, INACTIVE = 0, 1, 3


def form_of(ledger: Path) -> int:
    """The version of a ledger's schema."""
    with closing(sqlite3.connect(ledger)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@dataclass(frozen=True)
class MadeUpTarget(Target):
    """A machine with its files in *root*. It stands for this machine unless *runs* is false."""

    runs: bool = True
    packages: set[str] = field(
        default_factory=lambda: {"python3-venv", "python3-lgpio", "python3-libgpiod", "python3-alsaaudio"}
    )
    store: set[str] = field(default_factory=lambda: {"python3-systemd"})
    too_old: set[str] = field(default_factory=set)
    """Packages that apt has in a version that is too old."""
    broken: set[str] = field(default_factory=set)
    """Versions that do not become ready."""
    at_fault: dict[str, dict[str, str]] = field(default_factory=dict)
    """The faults of the table, by version."""
    inactive: set[str] = field(default_factory=set)
    pip_says: str = ""
    """The output of pip, if it fails."""
    commands: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.path(PIP).parent.mkdir(parents=True, exist_ok=True)
        self.path(PIP).touch()

    @property
    def is_this_one(self) -> bool:
        return self.runs

    def try_run(self, *command: str | Path) -> tuple[int, str]:
        match [str(word) for word in command]:
            case ["dpkg-query", *_, name]:
                return 0, "installed" if name in self.packages else "not-installed"
            case ["apt-cache", "policy", name]:
                version = "1.6.3-1" if name in self.too_old else "2.2.1-2" if name in self.store else "(none)"
                return 0, f"{name}:\n  Candidate: {version}\n"
            case ["dpkg", "--compare-versions", version, "ge", oldest]:
                return int(version.split(".") < oldest.split(".")), ""
            case ["python3", "-c", look]:
                modules = [package.removeprefix("python3-").removeprefix("lib") for package in self.packages]
                return (0 if any(module in look for module in modules) else 1), ""
            case ["id", *_]:
                return 0, "anna adm\n"
        self.commands.append(" ".join(map(str, command)))
        match [str(word) for word in command]:
            case ["apt-get", "install", *names]:
                self.packages.update(names)
            case ["python3", "-m", "venv", *_, folder]:
                self.path(Path(folder) / "bin").mkdir(parents=True)
            case [_, pip, "install", *_] if self.pip_says and pip.endswith("/pip"):
                return 1, self.pip_says
            case ["systemctl", "restart", "reboard.service"]:
                return (BROKEN if self.path(CURRENT).readlink().name in self.broken else READY), ""
            case ["systemctl", "is-active", *units]:
                # as systemd does: yes if one of them is
                return (READY if set(units) - self.inactive else INACTIVE), ""
            case ["journalctl", *_]:
                return 0, "it began\nit broke\n"
        return 0, ""

    def ask(self, there: Path, request: Mapping[str, object]) -> Any:
        if not self.path(CURRENT).is_symlink() or self.plays().name in self.broken:
            raise ConnectionRefusedError
        return {"id": request["id"], "ok": {"faults": self.at_fault.get(self.plays().name, {})}}

    def wait(self, seconds: float) -> None:
        self.commands.append(f"wait {seconds:g}")

    def commands_with(self, *words: str) -> list[str]:
        """The commands that hold all *words*."""
        return [command for command in self.commands if all(word in command for word in words)]

    def files(self) -> list[Path]:
        """All files but those of packages, sorted, as seen from here."""
        return sorted(path for path in self.root.rglob("*") if not path.is_dir() and path != self.path(PIP))

    def versions(self) -> set[str]:
        return {folder.name for folder in self.path(VERSIONS).iterdir() if (folder / WHOLE).exists()}

    def plays(self) -> Version:
        return Version(self.path(CURRENT).readlink().name)
