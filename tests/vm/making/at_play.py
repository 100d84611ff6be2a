"""The moment at which the tests begin: the machine has started by itself, and its table waits for players."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from tests.vm.architecture import ARCHITECTURE, PC
from tests.vm.machine.machine import Machine, accelerator, disk_over
from tests.vm.machine.table import Table
from tests.vm.making.cache import kept
from tests.vm.making.installed import card, installed
from tests.vm.making.kernel import kernel, qemu_version
from tests.vm.making.pin_libraries import pin_libraries

DISK = "disk.qcow2"
MACHINE = Path(__file__).resolve().parents[1] / "machine"
AT_PLAY = "at-play"


def at_play() -> Path:
    """The disk that remembers the moment `AT_PLAY`. Raises `InsideError` if the table does not play."""
    with ThreadPoolExecutor() as beside:  # a compiler is busy, and an image waits for packages
        made = beside.submit(kernel)
        image = installed()

    def make(directory: Path) -> None:
        with closing(Machine(disk_over(image, directory / DISK), directory)) as machine:
            machine.power_on()
            table = Table(machine)
            table.await_ready()
            machine.header.trace_only(table.motor, table.lamp)
            machine.save_moment(AT_PLAY)

    # the disk is an overlay of this very image, not of one that was made again of the same files
    base = f"{image} {image.stat().st_mtime_ns}"
    code = [*sorted(MACHINE.glob("*.py")), Path(__file__)]
    made_of: list[str | Path] = [str(made.result()), base, qemu_version(), accelerator(), *code]
    return kept(f"at-play-{ARCHITECTURE.debian}", made_of, make) / DISK


def disk_at_play(directory: Path) -> Path:
    """A copy of it in *directory*, for one machine."""
    return Path(shutil.copy(at_play(), directory))


def main() -> None:
    """Make everything that the tests need."""
    with ThreadPoolExecutor() as beside:
        made = [beside.submit(make) for make in (card, pin_libraries) if ARCHITECTURE is PC]
        print(at_play())
        for each in made:
            each.result()


if __name__ == "__main__":
    main()
