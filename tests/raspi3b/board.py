"""QEMU's Raspberry Pi 3: its power, its GPIO registers, and a card reader in a USB socket.

The reader is not at the mini-UART, where Linux cannot read with QEMU: setting the speed writes another register there,
which switches off the interrupt of what is received.
"""

from __future__ import annotations

import socket
import subprocess
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

from tests.raspi3b.making import AGENT_PORT, DEVICE_TREE, INITRD, KERNEL, card, qemu
from tests.vm.machine.inside import Inside, InsideError
from tests.vm.machine.machine import Monitor, connected
from tests.vm.machine.reader import Reader

BOOT_WITHIN_S = 1800.0

# one of the four processors, because QEMU emulates them one after the other
KERNEL_LINE = f"root=/dev/mmcblk0 rw console={AGENT_PORT},115200 quiet systemd.show_status=no mitigations=off maxcpus=1"
# Linux cannot tell QEMU's card to empty its cache, so it must have none: a killed QEMU would lose all that was synced.
# The chip on the I²C bus acknowledges what the display is sent
QEMU = """
    -machine raspi3b -accel tcg -icount shift=0,sleep=on -nodefaults -no-user-config -display none -rtc base=utc
    -kernel {made}/{kernel} -initrd {made}/{initrd} -dtb {made}/{tree}
    -drive file={disk},if=sd,format=qcow2,cache=writethrough
    -chardev socket,id=inside,path={sockets}/inside,server=on,wait=off,logfile={console} -serial chardev:inside
    -chardev socket,id=reader,path={sockets}/reader,server=on,wait=off
    -device at24c-eeprom,bus=i2c-bus.1,address={display},rom-size=256
    -qmp unix:{sockets}/monitor,server=on,wait=off
    -qtest unix:{sockets}/registers,server=on,wait=off -qtest-log none
"""

DISPLAY_ADDRESS = 0x27

GPIO = 0x3F200000
FUNCTIONS, SET, CLEAR, LEVELS = GPIO, GPIO + 0x1C, GPIO + 0x28, GPIO + 0x34
OUTPUT = 1
"""BCM2837 ARM Peripherals, chapter 6."""


class Registers:
    """The GPIO registers of lines 0 to 31, as QEMU's side of the bus reads and writes them."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._lines = connection.makefile("r")
        self._asking = threading.Lock()

    def function(self, pin: int) -> int:
        """0 for an input, `OUTPUT`, or an alternative function: 2 to 7."""
        return self._do(f"readl {FUNCTIONS + 4 * (pin // 10):#x}") >> 3 * (pin % 10) & 7

    def level(self, pin: int) -> bool:
        return bool(self._do(f"readl {LEVELS:#x}") >> pin & 1)

    def is_driven_high(self, pin: int) -> bool:
        return self.function(pin) == OUTPUT and self.level(pin)

    def write(self, *pins: int, high: bool) -> None:
        """Write a level. QEMU lacks the pull-up resistors, and keeps this as the level of an input, without an edge."""
        self._do(f"writel {SET if high else CLEAR:#x} {sum(1 << pin for pin in pins):#x}")

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def _do(self, command: str) -> int:
        with self._asking:
            self._socket.sendall(f"{command}\n".encode())
            answer = self._lines.readline().split()
        if answer[:1] != ["OK"]:
            raise InsideError(f"{command}: QEMU answers {' '.join(answer)!r}")
        return int(answer[1], 16) if len(answer) > 1 else 0


class Pi:
    """A Raspberry Pi 3 with a memory card of its own in *directory*. It is off until `power_on`."""

    inside: Inside
    registers: Registers
    reader: Reader

    def __init__(self, directory: Path) -> None:
        self._disk = directory / "card.qcow2"
        self._made = card(self._disk)
        self._console = directory / "console.log"
        self._qemu: subprocess.Popen[bytes] | None = None
        self._plugged = ExitStack()

    def power_on(self) -> None:
        """Switch the power off and on. Raises `InsideError`."""
        self.pull_the_plug()
        sockets = Path(self._plugged.enter_context(tempfile.TemporaryDirectory(prefix="reboard-pi-")))
        made = {"made": self._made, "kernel": KERNEL, "initrd": INITRD, "tree": DEVICE_TREE}
        ours = {"disk": self._disk, "sockets": sockets, "console": self._console}
        options = QEMU.format(**made, **ours, display=DISPLAY_ADDRESS).split()
        command = ["setpriv", "--pdeathsig", "KILL", *qemu(), *options, "-append", KERNEL_LINE]
        self._qemu = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self.registers = Registers(connected(self._qemu, sockets / "registers"))
        self.inside = Inside(connected(self._qemu, sockets / "inside"))
        self.reader = Reader(connected(self._qemu, sockets / "reader"))
        self._monitor = Monitor(connected(self._qemu, sockets / "monitor"))
        for connection in (self.registers, self.inside, self.reader, self._monitor):
            self._plugged.callback(connection.close)

    def await_agent(self) -> None:
        """Wait until Debian has started. Raises `InsideError` with the end of what it printed."""
        try:
            self.inside.await_hello(BOOT_WITHIN_S)
        except InsideError as problem:
            raise InsideError(f"{problem}: {self._console.read_text(errors='replace')[-2000:]}") from None

    def plug_reader_in(self) -> None:
        """Plug the reader in. Linux asks a USB reader all the time, which slows QEMU down."""
        self._monitor.do("device_add", driver="usb-serial", id="reader", chardev="reader")

    def pull_the_plug(self) -> None:
        """Kill QEMU: the card keeps what was written to it, and nothing else."""
        if self._qemu:
            self._qemu.kill()
            self._qemu.wait()
            self._qemu = None
        self._plugged.close()
