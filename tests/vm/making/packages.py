"""Installs the Debian packages that the emulated machine is built and run with."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE

KERNEL_SOURCE = "linux-source-6.1"
IMAGE = (
    # to make the package, and the image of a Debian
    *("build-essential", "debhelper", "dh-python"),
    *("mmdebstrap", "uidmap", "fakeroot", "e2fsprogs", "qemu-utils"),
)
NEEDED = {
    "vm": (
        *(KERNEL_SOURCE, "gcc", "make", "libc6-dev", "libelf-dev", "flex", "bison", "bc", "xz-utils"),
        *(*IMAGE, *ARCHITECTURE.packages),
    ),
    "raspi3b": (*IMAGE, "cpio", "device-tree-compiler", "kmod"),
}
"""By the folder of the tests."""

FOREIGN_PROGRAMS = Path("/proc/sys/fs/binfmt_misc") / f"qemu-{ARCHITECTURE.python}"
"""Exists while the kernel lets QEMU start the programs of that processor."""


def version_of(package: str) -> str:
    """The version of an installed package, or nothing."""
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", package]
    status, _, version = subprocess.run(query, capture_output=True, text=True, check=False).stdout.partition(" ")
    return version if status == "installed" else ""


def run_as_root(why: str, *command: str) -> None:
    """Run a command, or end with what the user must type."""
    if os.geteuid() != 0:
        sys.exit(f"{why}: sudo {' '.join(command)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if subprocess.run(command, env=environment, check=False).returncode:
        sys.exit(f"{why}, and this failed: {' '.join(command)}. make test-vm needs Debian 12")


def main() -> None:
    [tests] = sys.argv[1:]
    if missing := [package for package in NEEDED[tests] if not version_of(package)]:
        if os.geteuid() == 0:
            subprocess.run(["apt-get", "update", "--quiet"], check=True)
        # another apt may be at work
        options = ("--option=DPkg::Lock::Timeout=600", "--yes", "--no-install-recommends")
        install = ("apt-get", "install", *options, *missing)
        run_as_root("the emulated machine needs packages that are not installed", *install)
    # systemd enables this of its own accord
    if ARCHITECTURE.python != platform.machine() and not FOREIGN_PROGRAMS.exists():
        enable = ("update-binfmts", "--enable", FOREIGN_PROGRAMS.name)
        run_as_root(f"this kernel does not start programs for {ARCHITECTURE.debian} yet", *enable)


if __name__ == "__main__":
    main()
