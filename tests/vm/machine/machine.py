"""The emulated machine: a real kernel with a Pi's header, systemd, a sound card, a display's bus and two readers."""

from __future__ import annotations

import json
import os
import platform
import re
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from tests.vm.architecture import ARCHITECTURE
from tests.vm.machine.header import Header
from tests.vm.machine.inside import Inside, InsideError
from tests.vm.machine.reader import Reader
from tests.vm.machine.trace import KERNEL_OPTIONS, Trace
from tests.vm.making.kernel import device_tree, kernel

DISPLAY_BUS = 1
DISPLAY_ADDRESS = 0x27

BOOT_WITHIN_S = 1200.0
"""In our own time, also on a busy computer."""
SOCKETS_WITHIN_S = 10.0
MONITOR_WITHIN_S = 600.0

# There are no spies on an emulated processor, and keeping them out takes a fifth of its time. QEMU is slow at each
# letter on the console.
KERNEL_LINE = (
    f"root=/dev/vda rw console={ARCHITECTURE.console} quiet mitigations=off raspberry_pi.apic_ns"
    f" i2c_stub.chip_addr={DISPLAY_ADDRESS} mac80211_hwsim.radios=0 {KERNEL_OPTIONS}"
)

BOARD = f"{ARCHITECTURE.board} -m 512"

# The readers are on serial ports of their own; another one can be plugged into USB.
QEMU = """
    setpriv --pdeathsig KILL {program} -accel {accelerator} {board}
    -nodefaults -no-user-config -display none -rtc base=utc -device virtio-rng-pci
    -qmp unix:{sockets}/monitor,server=on,wait=off
    -serial file:{console}
    -chardev socket,id=left,path={sockets}/left,server=on,wait=off
    -chardev socket,id=right,path={sockets}/right,server=on,wait=off
    {readers}
    -device i6300esb
    -device virtio-serial-pci
    -chardev socket,id=inside,path={sockets}/inside,server=on,wait=off
    -device virtserialport,chardev=inside,name=reboard.test
    -device qemu-xhci,id=usb
    -chardev socket,id=usb-reader,path={sockets}/usb,server=on,wait=off
    -drive file={disk},if=virtio,format=qcow2
    -kernel {kernel}
"""

VIRTUALISES = re.compile(r"^flags\s*:.* (vmx|svm)\b", re.MULTILINE)


def accelerator() -> str:
    """The processor itself where QEMU can use it, else emulation.

    ``/dev/kvm`` alone is not enough: on a processor without virtualisation it may run no PC. An emulated instruction
    takes a nanosecond of the machine's time, like a Pi 3's: a busy computer slows its clock, and nothing is late.
    """
    own = ARCHITECTURE.python == platform.machine() and VIRTUALISES.search(Path("/proc/cpuinfo").read_text())
    return "kvm" if own and os.access("/dev/kvm", os.R_OK | os.W_OK) else "tcg -icount shift=0,sleep=on"


def disk_over(image: Path, disk: Path) -> Path:
    """Make *disk* an overlay of *image*: it takes everything that is written."""
    base = ["-F", "raw", "-b", str(image.resolve())]
    subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", *base, str(disk)], check=True)
    return disk


def connected(qemu: subprocess.Popen[bytes], path: Path) -> socket.socket:
    """Connect to a socket of QEMU as soon as QEMU listens there. Raises `InsideError`."""
    deadline = time.monotonic() + SOCKETS_WITHIN_S
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
            return connection
        except (ConnectionRefusedError, FileNotFoundError):
            connection.close()
            if qemu.poll() is not None or time.monotonic() > deadline:
                raise InsideError(f"QEMU does not start: it ended with {qemu.poll()}") from None
            time.sleep(0.01)


class Monitor:
    """A connection to QEMU's machine protocol (QMP), for one thread."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._socket.settimeout(MONITOR_WITHIN_S)
        self._lines = self._socket.makefile("rb")
        self._lines.readline()
        self.do("qmp_capabilities")

    def do(self, command: str, **arguments: object) -> Any:
        """Carry out a command. Raises `InsideError` with QEMU's message."""
        self._socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        for message in map(json.loads, self._lines):
            if "error" in message:
                raise InsideError(f"{command}: {message['error']['desc']}")
            if "return" in message:
                return message["return"]
        raise InsideError("QEMU has ended")

    def do_by_hand(self, line: str) -> None:
        """Carry out a command of the monitor for people, which prints nothing if it succeeds. Raises `InsideError`."""
        if printed := self.do("human-monitor-command", **{"command-line": line}).strip():
            raise InsideError(f"{line}: {printed}")

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


class Machine:
    """The machine with this *disk*, a qcow2; its other files are in *directory*. It is off until `power_on`.

    *options* are more options of QEMU.
    """

    inside: Inside
    trace: Trace
    header: Header
    monitor: Monitor
    left: Reader
    right: Reader
    usb: Reader
    """A reader in a USB socket, while it is plugged in; no moment can be saved then."""

    def __init__(self, disk: Path, directory: Path, *options: str) -> None:
        self._disk = disk
        self._options = options
        self._console = directory / "console.log"
        self._qemu: subprocess.Popen[bytes] | None = None
        self._plugged = ExitStack()

    def power_on(self, moment: str = "", *, words: str = "") -> None:
        """Switch the power off and on, and wait until the machine answers; or continue from a *moment* of the disk.

        *words* are added to the kernel's command line. Raises `InsideError`.
        """
        self.pull_the_plug()
        # the names of sockets are short, whatever the directory's is
        sockets = Path(self._plugged.enter_context(tempfile.TemporaryDirectory(prefix="reboard-vm-")))
        files = {"sockets": sockets, "console": self._console, "disk": self._disk, "kernel": kernel()}
        board = {"program": ARCHITECTURE.qemu, "board": BOARD, "readers": ARCHITECTURE.readers}
        command = [
            *QEMU.format(accelerator=accelerator(), **board, **files).split(),
            "-append",
            f"{KERNEL_LINE} {words}",
            *self._options,
        ]
        if ARCHITECTURE.has_device_tree:
            command += ["-dtb", str(device_tree(BOARD))]
        if moment:
            command.append("-S")  # the processor waits for the moment to be restored
        self._qemu = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self.inside = Inside(connected(self._qemu, sockets / "inside"))
        self.monitor = Monitor(connected(self._qemu, sockets / "monitor"))
        self.left, self.right, self.usb = (
            Reader(connected(self._qemu, sockets / name)) for name in ("left", "right", "usb")
        )
        for connection in (self.inside, self.monitor, self.left, self.right, self.usb):
            self._plugged.callback(connection.close)
        if moment:
            self.go_back_to(moment)
            self.monitor.do("cont")
        else:
            try:
                self.inside.await_hello(BOOT_WITHIN_S)
            except InsideError as problem:
                raise InsideError(f"{problem}; the end of its console is\n{self.console[-2000:]}") from None
        self.trace = Trace(self.inside)
        self.header = Header(self.inside, self.trace)

    @property
    def console(self) -> str:
        """All that was printed on the console."""
        return self._console.read_text(errors="replace")

    def pull_the_plug(self) -> None:
        """Kill QEMU: the disk keeps what it has confirmed, and nothing else."""
        if self._qemu:
            self._qemu.kill()
            self._qemu.wait()
            self._qemu = None
        self._plugged.close()

    close = pull_the_plug

    def plug_disk_in(self, file: Path) -> str:
        """Give the machine one more disk, whose content is *file*; return its name inside."""
        node = {"driver": "file", "filename": str(file)}
        self.monitor.do("blockdev-add", **{"driver": "raw", "node-name": "more", "file": node})
        self.monitor.do("device_add", driver="virtio-blk-pci", id="more-plug", drive="more")
        self.inside.sh("echo 1 > /sys/bus/pci/rescan && udevadm settle")
        return "/dev/vdb"

    def plug_usb_in(self) -> None:
        """Plug the reader `usb` in."""
        self.monitor.do("device_add", driver="usb-serial", id="reader", chardev="usb-reader", bus="usb.0", port="1")

    def pull_usb_out(self) -> None:
        """Unplug it, if it is plugged in."""
        with suppress(InsideError):
            self.monitor.do("device_del", id="reader")

    def save_moment(self, moment: str) -> None:
        """Save memory, disk and devices under a name."""
        self.monitor.do_by_hand(f"savevm {moment}")

    def go_back_to(self, moment: str) -> None:
        """Restore a moment, with no card in a reader."""
        self.pull_usb_out()
        for reader in (self.left, self.right, self.usb):
            reader.take()
        self.inside.forget()
        self.monitor.do_by_hand(f"loadvm {moment}")
