"""A moment that many tests begin at: the machine has started by itself, and its table waits to be played at."""

from __future__ import annotations

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE
from tests.vm.machine.disk import over
from tests.vm.machine.machine import Machine, accelerator
from tests.vm.machine.table import Table
from tests.vm.making import device_tree as device_trees
from tests.vm.making.cache import kept
from tests.vm.making.installed import installed
from tests.vm.making.kernel import kernel

DISK = "disk.qcow2"
MACHINE = Path(__file__).resolve().parents[1] / "machine"
AT_PLAY = "at-play"
"""The moment's name."""


def at_play() -> Path:
    """The disk that remembers the moment `AT_PLAY`. Raises `InsideError` when the table does not play."""
    qemu = subprocess.run([ARCHITECTURE.qemu, "--version"], capture_output=True, text=True, check=True).stdout
    with ThreadPoolExecutor() as beside:  # a compiler is busy; to make an image is to wait for packages
        made = beside.submit(kernel)
        image = installed()
    made_of: list[str | Path] = [str(made.result()), qemu, accelerator(), Path(device_trees.__file__), Path(__file__)]
    # the disk lies over this very image; one that was made anew, of the same things, is another one
    made_of += [str(image), str(image.stat().st_mtime_ns), *sorted(MACHINE.glob("*.py"))]
    return kept(f"at-play-{ARCHITECTURE.debian}", made_of, _make) / DISK


def disk_at_play(directory: Path) -> Path:
    """A copy of it in *directory*, for one machine, which may do to it what it likes."""
    return Path(shutil.copy(at_play(), directory))


def _make(directory: Path) -> None:
    with Machine(over(installed(), directory / DISK), directory) as machine:
        machine.power_on()
        table = Table(machine)
        table.await_ready()
        machine.header.note_only(table.motor, table.lamp)
        machine.remember(AT_PLAY)


if __name__ == "__main__":
    print(at_play())
