"""What tells a kernel for Arm which board it is on: QEMU's own, under a Pi's name."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE
from tests.vm.making.cache import kept

FILE = "raspberry-pi.dtb"

ABOUT_THE_PI = (
    ("s", "/", "model", "Raspberry Pi 3 Model B Rev 1.2"),
    ("x", "/system", "linux,revision", "a02082"),
)
"""As on a Pi 3: the type of a value, its node, its name, and the value."""


def device_tree(board: str) -> Path:
    """The file that has it, for QEMU's options that choose the *board*. Raises ``CalledProcessError``."""
    qemu = subprocess.run([ARCHITECTURE.qemu, "--version"], capture_output=True, text=True, check=True).stdout
    return kept("device-tree", (qemu, board, Path(__file__)), lambda directory: _make(directory, board)) / FILE


def _make(directory: Path, board: str) -> None:
    file = directory / FILE
    dump = ["-machine", f"dumpdtb={file}", "-display", "none"]
    subprocess.run([ARCHITECTURE.qemu, *board.split(), *dump], check=True)
    for kind, node, name, value in ABOUT_THE_PI:
        subprocess.run(["fdtput", "--auto-path", "--type", kind, file, node, name, value], check=True)
