"""One version of reboard: a folder with a virtual environment, beside those of other versions."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from installer.layout import CHECKOUT, CURRENT, LAST_READY, SYSTEM_FILES, VERSIONS
from installer.packages import missing_of_python
from installer.steps import Step
from installer.target import CommandError, InstallError, Target
from reboard.banker.schema import MIGRATIONS

PROGRAM = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "firmware", "sim")
"""What pip makes the program of."""
MORE = ("systemd", "hardware/table.toml")
MADE_BY_OTHERS = ("__pycache__", "*.egg-info", "*.pyc")

WHEELS_OF_THE_OS = Path("/usr/share/python-wheels")
"""Where Debian's packages for virtual environments lay what goes into one."""

NO_CONNECTION = ("connection broken by", "Read timed out", "Max retries exceeded")
"""What pip says of an internet that is not there. It says so too of one that answers at the second try."""
NOTHING_FOUND = "No matching distribution found"
BROKEN_OFF = re.compile(
    r"^\s*([\w.]+\.)?(Connection\w*Error|ConnectTimeout|ReadTimeout|MaxRetryError|ProtocolError|\w*TimeoutError): ",
    re.MULTILINE,
)
"""The line that ends what Python says of a connection which nobody has mended."""
NOT_BELIEVED = "CERTIFICATE_VERIFY_FAILED"
"""What stands in what pip says when an answer seems to be older or newer than it may be."""

WHOLE = "is-whole"
"""The file that is written last of all. In it stands the newest form of a ledger that this version knows."""
NEWEST_FORM = len(MIGRATIONS)
_NAME = re.compile(r"\d[\w.+-]*")


@dataclass(frozen=True)
class Version:
    """A version by its *name* on a machine."""

    name: str

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return VERSIONS / self.name

    def is_whole(self, machine: Target) -> bool:
        """Whether all of it is there: its making may have been cut off."""
        return machine.path(self.folder / WHOLE).is_file()

    def form(self, machine: Target) -> int:
        """The newest form of a ledger that it knows."""
        return int(machine.path(self.folder / WHOLE).read_text(encoding="utf-8") or NEWEST_FORM)


def version_of(checkout: Path = CHECKOUT) -> Version:
    """The version in *checkout*: its number, and a mark of what is in the files, for the number may stay the same.

    Raises `InstallError` where there is none.
    """
    try:
        text = (checkout / "firmware/reboard/version.py").read_text(encoding="utf-8")
    except OSError as error:
        raise InstallError(f"{checkout} is no checkout of reboard: {error}") from None
    number = re.search(r'__version__ = "([\w.+-]+)"', text)
    if not number:
        raise InstallError(f"{checkout}/firmware/reboard/version.py names no version")
    mark = hashlib.sha256()
    for file in _files(checkout):
        mark.update(f"{file.relative_to(checkout)}\0".encode())
        mark.update(file.read_bytes())
    return Version(f"{number[1]}-{mark.hexdigest()[:8]}")


def current(machine: Target) -> Version | None:
    """The version that is played with, if there is one that is whole."""
    link = machine.path(CURRENT)
    version = Version(link.readlink().name) if link.is_symlink() else None
    return version if version and version.is_whole(machine) else None


def last_ready(machine: Target) -> Version | None:
    """The version that became ready last, if it is still whole: where to go back to."""
    try:
        version = Version(machine.path(LAST_READY).read_text(encoding="utf-8").strip())
    except OSError:
        return None
    return version if version.name and version.is_whole(machine) else None


def remember_ready(machine: Target, version: Version) -> None:
    """Go back to *version* whatever is tried after it."""
    machine.write(LAST_READY, f"{version.name}\n".encode())


def version_step(machine: Target, version: Version, *, wheels: Path | None) -> Step:
    """Make the folder of *version*; packages come from the folder *wheels*, or else from the internet."""
    return Step(
        f"Put this version, {version.name}, into {version.folder}",
        lambda: _make(machine, version, wheels),
        lambda: version.is_whole(machine),
    )


def forget_others(machine: Target, *kept: Version | None) -> None:
    """Remove every version but those that are *kept*. What is no version is somebody else's, and stays."""
    for folder in machine.path(VERSIONS).iterdir():
        version = Version(folder.name)
        is_one = _NAME.fullmatch(folder.name) and not folder.is_symlink() and version.is_whole(machine)
        if is_one and version not in kept:
            shutil.rmtree(folder)


def remove_all(machine: Target) -> None:
    """Remove every version, and the folder that they lay in if nothing of somebody else's is there."""
    forget_others(machine)
    for there in (CURRENT, LAST_READY):
        machine.remove(there)
    with suppress(OSError):
        machine.path(VERSIONS).rmdir()


def _make(machine: Target, version: Version, wheels: Path | None) -> None:
    machine.remove(version.folder)
    source = version.folder / "source"
    # pip builds where it finds the source, and would leave root's files in somebody's checkout
    for name in PROGRAM:
        _copy(CHECKOUT / name, machine.path(source / name))
    pip = _pip(machine)
    machine.run("python3", "-m", "venv", "--without-pip", "--system-site-packages", version.folder)
    where: list[str | Path] = []
    if wheels:
        _copy(wheels, machine.path(source / "wheels"))
        where = ["--no-index", "--find-links", source / "wheels"]
    more = missing_of_python(machine)
    install: list[str | Path] = [
        version.folder / "bin/python",
        pip,
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    try:
        machine.run(*install, *where, f"{source}[page,drawings]", *more)
    except CommandError as error:
        if problem := _of_the_internet(error.said):
            raise InstallError(problem) from error
        raise
    machine.remove(source)
    for name in SYSTEM_FILES:
        machine.copy(CHECKOUT / "systemd" / name, version.folder / "systemd" / name)
    machine.run(version.folder / "bin/reboard", "--version")
    machine.run("sync", "--file-system", version.folder)
    machine.write(version.folder / WHOLE, f"{NEWEST_FORM}\n".encode())


def _of_the_internet(said: str) -> str | None:
    """Why pip has not come by a package, if that is for the internet's sake."""
    was_broken_off = bool(BROKEN_OFF.search(said))
    if not (was_broken_off or NOTHING_FOUND in said):
        return None
    if NOT_BELIEVED in said:
        return (
            "the server that reboard's Python packages come from cannot be told from a false one, as when the clock is "
            "wrong: look at `date`, wait until the Pi has its time from the internet, and start this again"
        )
    if was_broken_off or any(sign in said for sign in NO_CONNECTION):
        return (
            "the internet does not answer, and reboard's Python packages come from there: look at the network, or "
            'bring them along with --wheels (docs/on-a-pi.md, "Without internet")'
        )
    return None


def _pip(machine: Target) -> Path:
    """Where pip can be started: in the wheel that venv would unpack it from.

    To unpack and compile it would take longer than all that it then does, and it does it once.
    """
    wheels = sorted(machine.path(WHEELS_OF_THE_OS).glob("pip-*.whl"))
    if not wheels:
        raise InstallError(f"no pip is in {WHEELS_OF_THE_OS}: sudo apt install --reinstall python3-pip-whl")
    return WHEELS_OF_THE_OS / wheels[-1].name / "pip"


def _files(checkout: Path) -> Iterator[Path]:
    for name in (*PROGRAM, *MORE):
        whole = checkout / name
        files = sorted(whole.rglob("*")) if whole.is_dir() else [whole]
        for file in files:
            of_others = any(part.match(pattern) for part in (file, *file.parents) for pattern in MADE_BY_OTHERS)
            if file.is_file() and not of_others:
                yield file


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(*MADE_BY_OTHERS))
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
