"""The processor of the emulated machine, and what else differs with it."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """One kind of processor, by the names that it has with those who make the machine."""

    debian: str
    python: str
    """In the names of wheels."""
    linux: str
    compiler: str
    """What the names of its compiler's programs begin with."""
    image: str
    """The kernel as QEMU takes it, in the kernel's source."""
    console: str
    qemu: str
    board: str
    readers: str
    """QEMU's options for the serial lines of the readers ``left`` and ``right``."""
    has_device_tree: bool
    packages: tuple[str, ...]
    """The Debian packages that only this one needs."""


PC = Architecture(
    debian="amd64",
    python="x86_64",
    linux="x86",
    compiler="" if platform.machine() == "x86_64" else "x86_64-linux-gnu-",
    image="arch/x86/boot/bzImage",
    console="ttyS0",
    qemu="qemu-system-x86_64",
    board="-cpu max",
    readers="-serial chardev:left -serial chardev:right",
    has_device_tree=False,
    packages=("qemu-system-x86",) if platform.machine() == "x86_64" else ("qemu-system-x86", "gcc-x86-64-linux-gnu"),
)
"""What most people develop on. Their own processor may lend itself to the machine."""

ARM = Architecture(
    debian="arm64",
    python="aarch64",
    linux="arm64",
    compiler="aarch64-linux-gnu-",
    image="arch/arm64/boot/Image",
    console="ttyAMA0",
    qemu="qemu-system-aarch64",
    board="-machine virt -cpu cortex-a53",
    readers="-device pci-serial,chardev=left,addr=10 -device pci-serial,chardev=right,addr=11",
    has_device_tree=True,
    packages=(
        "gcc-aarch64-linux-gnu",
        "qemu-system-arm",
        "device-tree-compiler",
        # to run its Debian's programs while that is put together
        "arch-test",
        "qemu-user-static",
        "binfmt-support",
    ),
)
"""A Pi 3's, and much like a Zero 2 W's."""


def asked_for() -> Architecture:
    """The one that the environment variable ``REBOARD_VM`` names, as Debian does; without it, `PC`."""
    name = os.environ.get("REBOARD_VM", PC.debian)
    for architecture in (PC, ARM):
        if architecture.debian == name:
            return architecture
    sys.exit(f"REBOARD_VM is {name!r}; it can be {PC.debian} or {ARM.debian}")


ARCHITECTURE = asked_for()
