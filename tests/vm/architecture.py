"""The processor of the emulated machine, and what else differs with it."""

from __future__ import annotations

import os
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
    compiler="",
    image="arch/x86/boot/bzImage",
    console="ttyS0",
    qemu="qemu-system-x86_64",
    board="-cpu max",
    readers="-serial chardev:left -serial chardev:right",
    has_device_tree=False,
    packages=("qemu-system-x86",),
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
        "qemu-user-static",
        "binfmt-support",
    ),
)
"""A Pi 3's, and much like a Zero 2 W's."""

ARCHITECTURE = {"arm64": ARM, "amd64": PC}[os.environ.get("REBOARD_VM", "amd64")]
"""The one that is asked for, by Debian's name, in the environment variable ``REBOARD_VM``."""
