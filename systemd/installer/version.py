"""Versions of reboard: each has a folder with a virtual environment."""

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
from reboard.accessories.banker_unit.schema import MIGRATIONS

PROGRAM = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "firmware", "sim")
"""The sources that pip builds from."""
MORE = ("systemd",)
GENERATED = ("__pycache__", "*.egg-info", "*.pyc")

WHEELS_OF_THE_OS = Path("/usr/share/python-wheels")
"""The wheels of Debian's packages for virtual environments."""

NO_CONNECTION = ("connection broken by", "Read timed out", "Max retries exceeded")
"""Messages of pip without internet. It prints them after a retry that succeeded, too."""
NOTHING_FOUND = "No matching distribution found"
BROKEN_OFF = re.compile(
    r"^\s*([\w.]+\.)?(Connection\w*Error|ConnectTimeout|ReadTimeout|MaxRetryError|ProtocolError|\w*TimeoutError): ",
    re.MULTILINE,
)
"""The last line of a Python traceback after a failed connection."""
WRONG_CERTIFICATE = "CERTIFICATE_VERIFY_FAILED"
"""Part of the message of pip when a certificate is not valid yet, or no longer."""

WHOLE = "is-whole"
"""The file that is written last, with the newest form of the ledger that the version knows."""
NEWEST_FORM = len(MIGRATIONS)
_NAME = re.compile(r"\d[\w.+-]*")


@dataclass(frozen=True)
class Version:
    """A version by its *name* on a machine."""

    name: str

    @property
    def folder(self) -> Path:
        """The folder of the version."""
        return VERSIONS / self.name

    def is_whole(self, machine: Target) -> bool:
        """Return whether its installation was completed."""
        return machine.path(self.folder / WHOLE).is_file()

    def form(self, machine: Target) -> int:
        """Return the newest form of the ledger that it knows."""
        return int(machine.path(self.folder / WHOLE).read_text(encoding="utf-8") or NEWEST_FORM)


def version_of(checkout: Path = CHECKOUT) -> Version:
    """Return the version in *checkout*: its number and a hash of its files. Raises `InstallError` without one."""
    try:
        text = (checkout / "firmware/reboard/__init__.py").read_text(encoding="utf-8")
    except OSError as error:
        raise InstallError(f"{checkout} is not a checkout of reboard: {error}") from None
    number = re.search(r'__version__ = "([\w.+-]+)"', text)
    if not number:
        raise InstallError(f"{checkout}/firmware/reboard/__init__.py names no version")
    digest = hashlib.sha256()
    for file in _files(checkout):
        digest.update(f"{file.relative_to(checkout)}\0".encode())
        digest.update(file.read_bytes())
    return Version(f"{number[1]}-{digest.hexdigest()[:8]}")


def current(machine: Target) -> Version | None:
    """Return the installed version that starts, ``None`` without a complete one."""
    link = machine.path(CURRENT)
    version = Version(link.readlink().name) if link.is_symlink() else None
    return version if version and version.is_whole(machine) else None


def last_ready(machine: Target) -> Version | None:
    """Return the version to roll back to: the last one that became ready, if it is still complete."""
    try:
        version = Version(machine.path(LAST_READY).read_text(encoding="utf-8").strip())
    except OSError:
        return None
    return version if version.name and version.is_whole(machine) else None


def remember_ready(machine: Target, version: Version) -> None:
    """Make *version* the one to roll back to."""
    machine.write(LAST_READY, f"{version.name}\n".encode())


def version_step(machine: Target, version: Version, *, wheels: Path | None) -> Step:
    """Return the step that builds *version*, with packages from the folder *wheels* or from the internet."""
    return Step(
        f"Install this version, {version.name}, into {version.folder}",
        lambda: _make(machine, version, wheels),
        lambda: version.is_whole(machine),
    )


def forget_others(machine: Target, *kept: Version | None) -> None:
    """Remove every version except those *kept*. Other folders stay."""
    for folder in machine.path(VERSIONS).iterdir():
        version = Version(folder.name)
        is_one = _NAME.fullmatch(folder.name) and not folder.is_symlink() and version.is_whole(machine)
        if is_one and version not in kept:
            shutil.rmtree(folder)


def remove_all(machine: Target) -> None:
    """Remove every version, and their folder if it is empty then."""
    forget_others(machine)
    for there in (CURRENT, LAST_READY):
        machine.remove(there)
    with suppress(OSError):
        machine.path(VERSIONS).rmdir()


def _make(machine: Target, version: Version, wheels: Path | None) -> None:
    machine.remove(version.folder)
    source = version.folder / "source"
    # pip builds in the source folder, and would leave files of root in the checkout
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
        if problem := _internet_problem(error.said):
            raise InstallError(problem) from error
        raise
    machine.remove(source)
    for name in SYSTEM_FILES:
        machine.copy(CHECKOUT / "systemd" / name, version.folder / "systemd" / name)
    machine.run(version.folder / "bin/reboard", "--version")
    machine.run("sync", "--file-system", version.folder)
    machine.write(version.folder / WHOLE, f"{NEWEST_FORM}\n".encode())


def _internet_problem(said: str) -> str | None:
    """Return why pip got no package, ``None`` if the internet is not the cause."""
    was_broken_off = bool(BROKEN_OFF.search(said))
    if not (was_broken_off or NOTHING_FOUND in said):
        return None
    if WRONG_CERTIFICATE in said:
        return (
            "the certificate of the package server is not valid, perhaps because the clock is wrong: check `date`, "
            "wait until the Pi has its time from the internet, and start again"
        )
    if was_broken_off or any(sign in said for sign in NO_CONNECTION):
        return (
            "the internet does not answer, and the Python packages come from there: check the network, or use --wheels "
            '(docs/install-and-repair.md, "Without internet")'
        )
    return None


def _pip(machine: Target) -> Path:
    """Return pip inside its wheel. It runs once; to unpack and compile it would take longer."""
    wheels = sorted(machine.path(WHEELS_OF_THE_OS).glob("pip-*.whl"))
    if not wheels:
        raise InstallError(f"there is no pip in {WHEELS_OF_THE_OS}: run `sudo apt install --reinstall python3-pip-whl`")
    return WHEELS_OF_THE_OS / wheels[-1].name / "pip"


def _files(checkout: Path) -> Iterator[Path]:
    for name in (*PROGRAM, *MORE):
        whole = checkout / name
        files = sorted(whole.rglob("*")) if whole.is_dir() else [whole]
        for file in files:
            of_others = any(part.match(pattern) for part in (file, *file.parents) for pattern in GENERATED)
            if file.is_file() and not of_others:
                yield file


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(*GENERATED))
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
