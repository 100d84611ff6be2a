"""An image of the machine's disk with reboard on it, put there by its own installer."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE
from tests.vm.making.cache import kept
from tests.vm.making.root import INSIDE, changed, debian, image_of

CHECKOUT = Path(__file__).resolve().parents[3]
PROJECT = CHECKOUT / "pyproject.toml"
SHIPPED = ("firmware", "sim", "hardware", "systemd", "LICENSE", "README.md", "Makefile", "pyproject.toml", "setup.py")
"""What of the checkout is on the machine's disk when it is installed."""

ARCHIVE, IMAGE = "reboard.tar", "reboard.ext4"
PYTHON = (3, 11)
"""The Python of the machine's Debian."""

RPI_LGPIO = "rpi-lgpio>=0.6"
"""Answers to RPi.GPIO's name where RPi.GPIO itself does not run."""

GLIBCS = ("2_17", "2_28", "2_34")
"""What wheels are made for, and it can run."""

READERS = INSIDE / "70-reboard-readers.rules"


class PythonError(Exception):
    """This Python cannot make what the machine's Python wants."""


def installed() -> Path:
    """The image. Raises ``CalledProcessError`` after what went wrong was printed."""
    archive, files = debian(), list(_shipped())
    made_of: list[str | Path] = [str(archive), READERS, Path(__file__), *map(str, files)]
    made_of += [CHECKOUT / file for file in files]
    return kept(f"reboard-{ARCHITECTURE.debian}", made_of, lambda directory: _make(directory, archive, files)) / IMAGE


def _make(directory: Path, archive: Path, files: Sequence[Path]) -> None:
    checkout = directory / "reboard"
    for file in files:
        (checkout / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / file, checkout / file)
    changes = (
        f"copy-in {checkout} {_wheels()} /root",
        'cd "$1/root" && mv wheels-* wheels',
        '"$1/root/reboard/systemd/install" --yes --root "$1" --wheels "$1/root/wheels"',
        f"upload {READERS} /etc/udev/rules.d/{READERS.name}",
    )
    changed(archive, changes, directory / ARCHIVE)
    image_of(directory / ARCHIVE, directory / IMAGE)
    (directory / ARCHIVE).unlink()
    shutil.rmtree(checkout)


def _shipped() -> Iterator[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *SHIPPED]
    listed = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    for line in sorted(listed.stdout.splitlines()):
        if (CHECKOUT / line).is_file():
            yield Path(line)


def _wheels() -> Path:
    """What reboard needs of the Python Package Index, as the machine, which has no network, can install it."""
    if sys.version_info[:2] != PYTHON:
        ours, wanted = (".".join(map(str, version)) for version in (sys.version_info[:2], PYTHON))
        raise PythonError(f"this is Python {ours}, and the machine's is {wanted}: make test-vm PYTHON=python{wanted}")
    return kept(f"wheels-{ARCHITECTURE.debian}", (PROJECT, Path(__file__)), _fetch)


def _fetch(directory: Path) -> None:
    project = tomllib.loads(PROJECT.read_text())
    extras = project["project"]["optional-dependencies"]
    # the machine's Debian has the others
    pins = [need for need in extras["pi"] if need.startswith(("lgpio", "gpiod"))]
    building, always = project["build-system"]["requires"], project["project"]["dependencies"]
    wanted = [*building, *always, *extras["page"], *extras["drawings"], *pins, RPI_LGPIO]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(directory), "--only-binary=:all:"]
    pip += ["--python-version", ".".join(map(str, PYTHON))]
    pip += [f"--platform=manylinux_{glibc}_{ARCHITECTURE.python}" for glibc in GLIBCS]
    subprocess.run([*pip, *wanted], check=True)


if __name__ == "__main__":
    print(installed())
