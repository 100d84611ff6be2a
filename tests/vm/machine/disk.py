"""Disks of the machine: what is written goes into a file of its own, over an image that stays as it is."""

from __future__ import annotations

import subprocess
from pathlib import Path


def over(image: Path, disk: Path) -> Path:
    """Make *disk*, which holds what *image* holds and takes whatever is written."""
    kind = "qcow2" if image.suffix == ".qcow2" else "raw"
    command = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", kind, "-b", str(image.resolve()), str(disk)]
    subprocess.run(command, check=True)
    return disk


def empty(file: Path, megabytes: int) -> Path:
    """Make *file* a disk with an empty file system on it."""
    subprocess.run(["/sbin/mke2fs", "-q", "-t", "ext4", str(file), f"{megabytes}M"], check=True)
    return file
