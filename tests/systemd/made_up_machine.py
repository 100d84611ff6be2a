"""A machine that is a folder, and remembers what it was told to run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from installer.layout import CURRENT, VERSIONS
from installer.machine import Machine
from installer.version import WHOLE, Version

READY, BROKEN = 0, 1


@dataclass(frozen=True)
class MadeUpMachine(Machine):
    """*root* is its folder. It *is this one* unless said otherwise; *packages* is what it has."""

    runs: bool = True
    packages: set[str] = field(default_factory=lambda: {"python3-venv", "python3-lgpio", "python3-alsaaudio"})
    store: set[str] = field(default_factory=lambda: {"python3-systemd"})
    broken: set[str] = field(default_factory=set)
    """Versions that do not become ready."""
    told: list[str] = field(default_factory=list)

    @property
    def is_this_one(self) -> bool:
        return self.runs

    def tell(self, *command: str | Path) -> tuple[int, str]:
        match [str(word) for word in command]:
            case ["dpkg-query", *_, name]:
                return 0, "installed" if name in self.packages else "not-installed"
            case ["apt-cache", "policy", name]:
                return 0, f"{name}:\n  Candidate: {'1.0' if name in self.store else '(none)'}\n"
            case ["python3", "-c", look]:
                return (0 if any(package.removeprefix("python3-") in look for package in self.packages) else 1), ""
            case ["id", *_]:
                return 0, "anna adm\n"
        self.told.append(" ".join(map(str, command)))
        match [str(word) for word in command]:
            case ["apt-get", "install", *names]:
                self.packages.update(names)
            case ["python3", "-m", "venv", *_, folder]:
                self.path(Path(folder) / "bin").mkdir(parents=True)
            case ["systemctl", "restart", "reboard.service"]:
                return (BROKEN if self.path(CURRENT).readlink().name in self.broken else READY), ""
            case ["journalctl", *_]:
                return 0, "it began\nit broke\n"
        return 0, ""

    def told_to(self, *words: str) -> list[str]:
        """The commands that hold all *words*."""
        return [command for command in self.told if all(word in command for word in words)]

    def versions(self) -> set[str]:
        """Those that are there."""
        return {folder.name for folder in self.path(VERSIONS).iterdir() if (folder / WHOLE).exists()}

    def plays(self) -> Version:
        """The one that is started."""
        return Version(self.path(CURRENT).readlink().name)
