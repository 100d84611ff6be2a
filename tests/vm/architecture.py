"""The processor of the emulated machine, and what else differs with it."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """One kind of processor, by the names that Debian, Python, Linux, GCC and QEMU have for it."""

    debian: str
    python: str
    linux: str
    compiler: str
    """The prefix of its compiler's programs."""
    image: str
    console: str
    qemu: str
    board: str
    readers: str
    has_device_tree: bool
    packages: tuple[str, ...]
    """The Debian packages that only this one needs."""


IS_PC = platform.machine() == "x86_64"

PC = Architecture(
    debian="amd64",
    python="x86_64",
    linux="x86",
    compiler="" if IS_PC else "x86_64-linux-gnu-",
    image="arch/x86/boot/bzImage",
    console="ttyS0",
    qemu="qemu-system-x86_64",
    board="-cpu max",
    readers="-serial chardev:left -serial chardev:right",
    has_device_tree=False,
    packages=("qemu-system-x86", *(() if IS_PC else ("gcc-x86-64-linux-gnu",))),
)

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
        *("gcc-aarch64-linux-gnu", "qemu-system-arm", "device-tree-compiler"),
        # to run the programs of its Debian while the image is made
        *("arch-test", "qemu-user-static", "binfmt-support"),
    ),
)
"""A Pi 3's, and much like a Zero 2 W's."""


_NAME = os.environ.get("REBOARD_VM", PC.debian)
if _NAME not in (PC.debian, ARM.debian):
    sys.exit(f"REBOARD_VM is {_NAME!r}; it can be {PC.debian} or {ARM.debian}")
ARCHITECTURE = ARM if ARM.debian == _NAME else PC
