"""The emulated machine: a real kernel with a Pi's header, systemd, a sound card, a display's bus and two readers."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from tests.vm.architecture import ARCHITECTURE
from tests.vm.machine.ears import Ears
from tests.vm.machine.glass import Hd44780Bus
from tests.vm.machine.header import Header
from tests.vm.machine.inside import Inside, InsideError
from tests.vm.machine.monitor import Monitor
from tests.vm.machine.reader import Reader
from tests.vm.machine.trace import NOTED, Trace
from tests.vm.making.device_tree import device_tree
from tests.vm.making.kernel import kernel

T = TypeVar("T")

DISPLAY_BUS = 1
DISPLAY_ADDRESS = 0x27

CONSOLE_FILE = "console.log"
BOOT_WITHIN_S = 300.0
SOCKETS_WITHIN_S = 10.0
USB_READER = "reader"
MORE_DISK = "more"

# Nobody spies on an emulated processor: what keeps spies out of a real one takes a fifth of its time. And QEMU takes
# longer over a letter on the console than we to read it.
KERNEL_LINE = (
    f"root=/dev/vda rw console={ARCHITECTURE.console} quiet mitigations=off"
    f" i2c_stub.chip_addr={DISPLAY_ADDRESS} {NOTED}"
)

BOARD = f"{ARCHITECTURE.board} -m 512"

# The readers are on serial ports of their own; another one can be plugged into USB.
QEMU = """
    setpriv --pdeathsig KILL {program} -accel {accelerator} {board}
    -nodefaults -no-user-config -display none -rtc base=utc -device virtio-rng-pci
    -qmp unix:{sockets}/monitor,server=on,wait=off
    -serial file:{directory}/console.log
    -chardev socket,id=left,path={sockets}/left,server=on,wait=off
    -chardev socket,id=right,path={sockets}/right,server=on,wait=off
    {readers}
    -device i6300esb
    -device virtio-serial-pci
    -chardev socket,id=inside,path={sockets}/inside,server=on,wait=off
    -device virtserialport,chardev=inside,name=reboard.test
    -device qemu-xhci,id=usb
    -chardev socket,id=usb-reader,path={sockets}/usb,server=on,wait=off
"""

VIRTUALISES = re.compile(r"^flags\s*:.* (vmx|svm)\b", re.MULTILINE)


def accelerator() -> str:
    """What QEMU runs the machine on: the processor itself where it can, else every instruction is emulated.

    A ``/dev/kvm`` alone says little: where the processor has no such mode, what stands behind it may run no PC at all.
    An emulated processor takes a nanosecond of the machine's time for an instruction, about what a Pi 3 takes. So the
    machine's clock is never late, however busy this one is; it only goes slower than the one on our wall.
    """
    own = ARCHITECTURE.python == platform.machine() and VIRTUALISES.search(Path("/proc/cpuinfo").read_text())
    return "kvm" if own and os.access("/dev/kvm", os.R_OK | os.W_OK) else "tcg -icount shift=0,sleep=on"


class Machine:
    """The machine whose *disk* this is, a qcow2; what else belongs to it lies in *directory*. Use it in a ``with``.

    It is off until `power_on`.
    """

    inside: Inside
    trace: Trace
    header: Header
    ears: Ears
    glass: Hd44780Bus
    left: Reader
    right: Reader
    usb: Reader
    """A reader in a USB socket, while it is plugged in; no moment can be remembered then."""

    def __init__(self, disk: Path, directory: Path) -> None:
        self._disk = disk
        self._directory = directory
        self._qemu: subprocess.Popen[bytes] | None = None
        self._plugged = ExitStack()
        self._has_usb_in = False

    def __enter__(self) -> Machine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pull_the_plug()

    def power_on(self, moment: str = "") -> None:
        """Put the plug in, and wait until the machine answers; or go on from a *moment* that the disk remembers.

        It is pulled out before, if it is in.
        Raises `InsideError`.
        """
        self.pull_the_plug()
        # the names of sockets are short, whatever the directory's is
        sockets = Path(self._plugged.enter_context(tempfile.TemporaryDirectory(prefix="reboard-vm-")))
        places = {"sockets": sockets, "directory": self._directory}
        chosen = {"program": ARCHITECTURE.qemu, "board": BOARD, "readers": ARCHITECTURE.readers}
        command = QEMU.format(accelerator=accelerator(), **chosen, **places).split()
        if ARCHITECTURE.has_device_tree:
            command += ["-dtb", str(device_tree(BOARD))]
        command += ["-kernel", str(kernel()), "-append", KERNEL_LINE]
        command += ["-drive", f"file={self._disk},if=virtio,format=qcow2"]
        if moment:
            command.append("-S")  # nothing is done before the moment is back
        self._qemu = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self._await_sockets(sockets)
        self.inside = _connected(Inside, sockets / "inside")
        self._plugged.callback(self.inside.close)
        self.monitor = _connected(Monitor, sockets / "monitor")
        self._plugged.callback(self.monitor.close)
        self.left, self.right, self.usb = (_connected(Reader, sockets / name) for name in ("left", "right", "usb"))
        for reader in (self.left, self.right, self.usb):
            self._plugged.callback(reader.close)
        if moment:
            self.go_back_to(moment)
            self.monitor.do("cont")
        else:
            self._await_hello()
        self.trace = Trace(self.inside)
        self.header = Header(self.inside, self.trace)
        self.ears = Ears(self.inside)
        self.glass = Hd44780Bus(self.trace, bus=DISPLAY_BUS, address=DISPLAY_ADDRESS)

    def pull_the_plug(self) -> None:
        """Cut the power, now: QEMU is killed. What the disk has confirmed is kept, nothing else."""
        if self._qemu:
            self._qemu.kill()
            self._qemu.wait()
            self._qemu = None
        self._has_usb_in = False
        self._plugged.close()

    def plug_disk_in(self, file: Path) -> str:
        """Give the machine one more disk, whose every byte lies in *file*; what it is called inside."""
        node = {"driver": "file", "filename": str(file)}
        self.monitor.do("blockdev-add", **{"driver": "raw", "node-name": MORE_DISK, "file": node})
        self.monitor.do("device_add", driver="virtio-blk-pci", id=f"{MORE_DISK}-plug", drive=MORE_DISK)
        self.inside.must("sh", "-c", "echo 1 > /sys/bus/pci/rescan && udevadm settle")
        return "/dev/vdb"

    def plug_usb_in(self) -> None:
        """Put the plug of the reader `usb` in."""
        self.monitor.do("device_add", driver="usb-serial", id=USB_READER, chardev="usb-reader", bus="usb.0", port="1")
        self._has_usb_in = True

    def pull_usb_out(self) -> None:
        """Pull its plug, if it is in."""
        if self._has_usb_in:
            self.monitor.do("device_del", id=USB_READER)
            self._has_usb_in = False

    def remember(self, moment: str) -> None:
        """Keep this very moment under a name: memory, disk and all."""
        self.monitor.do_by_hand(f"savevm {moment}")

    def go_back_to(self, moment: str) -> None:
        """Make everything as it was then; nothing is in the readers."""
        self.pull_usb_out()
        for reader in (self.left, self.right, self.usb):
            reader.take()
        self.inside.forget()
        self.monitor.do_by_hand(f"loadvm {moment}")

    def _await_hello(self) -> None:
        try:
            self.inside.await_hello(BOOT_WITHIN_S)
        except InsideError as problem:
            said = (self._directory / CONSOLE_FILE).read_text(errors="replace")[-2000:]
            raise InsideError(f"{problem}; the last that its console says is\n{said}") from None

    def _await_sockets(self, sockets: Path) -> None:
        assert self._qemu
        deadline = time.monotonic() + SOCKETS_WITHIN_S
        while not all((sockets / name).is_socket() for name in ("inside", "left", "right", "usb", "monitor")):
            if self._qemu.poll() is not None or time.monotonic() > deadline:
                raise InsideError(f"QEMU does not start: it ended with {self._qemu.poll()}")
            time.sleep(0.01)


def _connected(kind: Callable[[Path], T], path: Path) -> T:
    """What connects itself to the socket *path*, which QEMU makes a moment before it listens there."""
    deadline = time.monotonic() + SOCKETS_WITHIN_S
    while True:
        try:
            return kind(path)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
