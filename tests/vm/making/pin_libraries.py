"""Other libraries for the pins, built for the machine's Python: Debian has neither lgpio nor rpi-lgpio."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE
from tests.vm.making.cache import kept
from tests.vm.making.installed import INSTALL
from tests.vm.making.root import changed, debian

PIN_LIBRARIES = ("lgpio==0.2.2.0", "rpi-lgpio==0.6")


def pin_libraries() -> Path:
    """The folder of their modules. Raises ``CalledProcessError``."""
    archive = debian()

    def make(directory: Path) -> None:
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(directory)]
        subprocess.run([*download, "--no-binary=lgpio", *PIN_LIBRARIES], check=True)
        [lgpio], [rpi_lgpio] = directory.glob("lgpio-*"), directory.glob("rpi_lgpio-*")
        build = "cd /root/lgpio-* && PYPI=1 python3 setup.py --quiet build --build-lib /root/built"
        hooks = (
            "copy-in /etc/resolv.conf /etc",
            'chroot "$1" apt-get update --quiet',
            f'chroot "$1" {INSTALL} gcc libc6-dev swig python3-dev python3-setuptools',
            f'tar -xzf {lgpio} -C "$1/root"',
            f"chroot \"$1\" sh -c '{build}'",
            f"sync-out /root/built {directory}",
        )
        changed(archive, hooks, Path("/dev/null"))
        shutil.unpack_archive(rpi_lgpio, directory, "zip")
        lgpio.unlink()
        rpi_lgpio.unlink()

    return kept(f"pin-libraries-{ARCHITECTURE.debian}", (str(archive), *PIN_LIBRARIES, Path(__file__)), make)
