"""The Debian packages that the emulated machine is built and run with."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE

KERNEL_SOURCE = "linux-source-6.1"
NEEDED = (
    # to compile a kernel
    KERNEL_SOURCE,
    "gcc",
    "make",
    "libc6-dev",
    "libelf-dev",
    "flex",
    "bison",
    "bc",
    "xz-utils",
    # to put a Debian into a file
    "mmdebstrap",
    "uidmap",
    "fakeroot",
    "e2fsprogs",
    # to run it
    "qemu-utils",
    *ARCHITECTURE.packages,
)

STARTED_BY_QEMU = Path("/proc/sys/fs/binfmt_misc") / f"qemu-{ARCHITECTURE.python}"
"""Is there while the kernel has QEMU start the programs of that processor."""


class PackageError(Exception):
    """Something is not installed, and why it cannot be."""


def version_of(package: str) -> str:
    """The version of an installed package, or nothing."""
    asked = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", package],
        capture_output=True,
        text=True,
        check=False,
    )
    status, _, version = asked.stdout.partition(" ")
    return version if status == "installed" else ""


def install() -> None:
    """Install what is missing, as root; raises `PackageError` with what root is to do, for anybody else."""
    missing = [package for package in NEEDED if not version_of(package)]
    if not missing:
        return
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    if os.geteuid() != 0:
        raise PackageError(f"the emulated machine needs what is not installed here: sudo {' '.join(command)}")
    subprocess.run(["apt-get", "update", "--quiet"], check=True)
    if subprocess.run(command, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, check=False).returncode:
        raise PackageError(f"apt-get could not install {', '.join(missing)}; the emulated machine wants Debian 12")


def have_foreign_programs_started() -> None:
    """Let the kernel start the programs of the machine's Debian, if its processor is another one than ours.

    systemd does that of its own accord, but not everybody has it. Raises `PackageError` with what root is to do.
    """
    if ARCHITECTURE.python == platform.machine() or STARTED_BY_QEMU.exists():
        return
    command = ["update-binfmts", "--enable", STARTED_BY_QEMU.name]
    if os.geteuid() != 0:
        raise PackageError(
            f"this kernel does not start programs for {ARCHITECTURE.debian} yet: sudo {' '.join(command)}"
        )
    if subprocess.run(command, check=False).returncode:
        raise PackageError(f"this kernel cannot be told how to start programs for {ARCHITECTURE.debian}")


if __name__ == "__main__":
    try:
        install()
        have_foreign_programs_started()
    except (OSError, PackageError) as problem:
        sys.exit(str(problem))
