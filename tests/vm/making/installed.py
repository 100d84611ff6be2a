"""A disk on which reboard is installed, in the machine itself."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.vm.machine.disk import over
from tests.vm.machine.machine import Machine
from tests.vm.making.cache import kept
from tests.vm.making.kernel import kernel
from tests.vm.making.root import root

CHECKOUT = Path(__file__).resolve().parents[3]
PROJECT = CHECKOUT / "pyproject.toml"
SHIPPED = ("firmware", "sim", "hardware", "systemd", "LICENSE", "README.md", "Makefile", "pyproject.toml", "setup.py")
"""What of the checkout is on the machine's disk when it is installed."""

DISK = "reboard.qcow2"
ARCHIVE = "reboard.tar"
PYTHON = (3, 11)
"""The Python of the machine's Debian."""

INSTALL_WITHIN_S = 600.0

RULES = """\
SUBSYSTEM=="tty", KERNEL=="ttyS1", SYMLINK+="reboard-left"
SUBSYSTEM=="tty", KERNEL=="ttyS2", SYMLINK+="reboard-right"
SUBSYSTEM=="tty", ENV{ID_PATH}=="*-usb-0:1:1.0", SYMLINK+="reboard-usb"
"""


class PythonError(Exception):
    """This Python cannot make what the machine's Python wants."""


def installed() -> Path:
    """The disk. Raises ``CalledProcessError``, `InsideError` and whatever its parts raise."""
    files = list(_shipped())
    made_of: list[str | Path] = [str(root()), str(kernel()), Path(__file__), *map(str, files)]
    made_of += [CHECKOUT / file for file in files]
    return kept("reboard", made_of, lambda directory: _install(directory, files)) / DISK


def _install(directory: Path, files: Sequence[Path]) -> None:
    archive = directory / ARCHIVE
    with tarfile.open(archive, "w") as tar:
        for file in files:
            tar.add(CHECKOUT / file, Path("reboard") / file)
        tar.add(_wheels(), "wheels")
    with Machine(over(root(), directory / DISK), directory, files=[archive]) as machine:
        machine.power_on()
        machine.inside.must("tar", "-xf", "/dev/vdb", "-C", "/root")
        _put_in(machine)
        machine.shut_down()
    archive.unlink()


def _put_in(machine: Machine) -> None:
    """Install what was unpacked in /root, with nobody at hand to be asked and no network."""
    machine.inside.must("/root/reboard/systemd/install", "--yes", "--wheels", "/root/wheels", within_s=INSTALL_WITHIN_S)
    machine.inside.must("tee", "/etc/udev/rules.d/70-reboard-readers.rules", stdin=RULES)


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
    return kept("wheels", (PROJECT, Path(__file__)), _fetch)


def _fetch(directory: Path) -> None:
    project = tomllib.loads(PROJECT.read_text())
    extras = project["project"]["optional-dependencies"]
    # the machine's Debian has the others, but for lgpio, which only Raspberry Pi OS has
    lgpio = [need for need in extras["pi"] if need.startswith("lgpio")]
    wanted = [*project["build-system"]["requires"], *project["project"]["dependencies"], *extras["page"], *lgpio]
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(directory)]
    subprocess.run([*pip, *wanted], check=True)


if __name__ == "__main__":
    print(installed())
