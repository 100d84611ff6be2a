"""An image of the machine's disk on which reboard's own installer has installed it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE
from tests.vm.making.cache import kept
from tests.vm.making.root import INSIDE, changed, debian, image_of

CHECKOUT = Path(__file__).resolve().parents[3]
PROJECT = CHECKOUT / "pyproject.toml"
IMAGE = "reboard.ext4"
SHIPPED = ("firmware", "sim", "hardware", "systemd", "LICENSE", "README.md", "Makefile", "pyproject.toml", "setup.py")
"""These of the checkout are on the machine's disk."""

PYTHON = "3.11"
"""The Python of the machine's Debian."""

READERS = INSIDE / "70-reboard-readers.rules"


def installed() -> Path:
    """The image. Raises ``CalledProcessError``."""
    ls_files = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *SHIPPED]
    listed = subprocess.run(ls_files, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    files = [line for line in sorted(listed.splitlines()) if (CHECKOUT / line).is_file()]
    archive = debian()
    made_of: list[str | Path] = [str(archive), READERS, Path(__file__), *files, *(CHECKOUT / file for file in files)]
    return kept(f"reboard-{ARCHITECTURE.debian}", made_of, lambda directory: _make(directory, archive, files)) / IMAGE


def _make(directory: Path, archive: Path, files: Sequence[str]) -> None:
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
    with_reboard = directory / "reboard.tar"
    changed(archive, changes, with_reboard)
    image_of(with_reboard, directory / IMAGE)
    with_reboard.unlink()
    shutil.rmtree(checkout)


def _wheels() -> Path:
    """The Python packages that reboard needs, as the machine, which has no network, can install them."""
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    if ours != PYTHON:
        sys.exit(f"this is Python {ours}, and the machine's is {PYTHON}: make test-vm PYTHON=python{PYTHON}")
    return kept(f"wheels-{ARCHITECTURE.debian}", (PROJECT, Path(__file__)), _fetch)


def _fetch(directory: Path) -> None:
    project = tomllib.loads(PROJECT.read_text())
    extras = project["project"]["optional-dependencies"]
    # the machine's Debian has the others; RPi.GPIO itself runs on a Pi only
    pins = [need for need in extras["pi"] if need.startswith(("lgpio", "gpiod"))] + ["rpi-lgpio>=0.6"]
    building, always = project["build-system"]["requires"], project["project"]["dependencies"]
    wanted = [*building, *always, *extras["page"], *extras["drawings"], *pins]
    platforms = [f"--platform=manylinux_{glibc}_{ARCHITECTURE.python}" for glibc in ("2_17", "2_28", "2_34")]
    options = ["--quiet", "--dest", str(directory), "--only-binary=:all:", "--python-version", PYTHON, *platforms]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, *wanted], check=True)
