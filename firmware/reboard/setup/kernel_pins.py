"""Pins that Linux has for itself: a bus or a card that is switched on is at the other end of them."""

from __future__ import annotations

from contextlib import suppress

from reboard.errors import PartError
from reboard.machine import Machine
from reboard.settings.pins_and_ports import DEBUG_SOCKET, HEADER_UARTS

BLUETOOTH = "/dev/serial1"
I2S = ("/proc/device-tree/soc*/i2s@*/status", "/proc/device-tree/axi/pcie@*/rp1/i2s@*/status")
"""What the kernel says of a Pi's digital sound, up to a Pi 4 and from a Pi 5 on."""


def kernels_pins(machine: Machine) -> dict[int, str]:
    """The pins of the header that are not to be touched while Linux uses them, and what for."""
    taken: dict[int, str] = {}
    with suppress(PartError):
        taken |= {pin: user or "the kernel" for pin, user in machine.header().users.items()}
    if machine.has("/dev/i2c-1"):
        taken |= dict.fromkeys((2, 3), "the I²C bus")
    elsewhere = {DEBUG_SOCKET, machine.real(BLUETOOTH)}
    if {machine.real(name) for name in HEADER_UARTS if machine.has(name)} - elsewhere:
        taken |= dict.fromkeys((14, 15), "the serial port")
    if any(machine.text(status) == "okay" for pattern in I2S for status in machine.named(pattern)):
        taken |= dict.fromkeys(range(18, 22), "a sound card (I²S)")
    return taken
