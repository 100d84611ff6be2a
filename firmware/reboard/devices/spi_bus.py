"""SPI bus 0: its pins and files, and whether it can be used. Nothing answers on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from reboard.config.kinds import Whole
from reboard.config.reading import KeyPath, Reading
from reboard.devices.device import CheckContext, FittedDevice, finding_in_use
from reboard.finding import Finding, fine, note, wrong

CHIP_SELECT_PINS = (8, 7)
"""The pins that select a chip on SPI bus 0, in the order of their numbers."""

SWITCH_ON = "add the line `dtparam=spi=on` to /boot/firmware/config.txt, then `sudo reboot`"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpiConfig:
    """The settings of a device on the SPI bus."""

    bus: Annotated[int, Whole(0, 0)] = 0
    chip_select: Annotated[int, Whole(0, 1)] = 0

    @property
    def pins(self) -> Mapping[str, int]:
        """The pins of the bus."""
        return {"din": 10, "clk": 11, "cs": CHIP_SELECT_PINS[self.chip_select]}

    @property
    def file(self) -> str:
        """The device file of the chip."""
        return f"/dev/spidev{self.bus}.{self.chip_select}"


def claim_spi_pins(reading: Reading, path: KeyPath, config: SpiConfig) -> None:
    """Claim the pins of the SPI bus and of the chip select for the setting at *path*."""
    for number in config.pins.values():
        reading.claim(f"pin {number}", path, "pins 10 and 11, and 8 or 7, are the SPI bus")


def cause_of(error: OSError, config: SpiConfig) -> str:
    """Return the cause of a fault for an *error* of the bus."""
    return f"{config.file} cannot be used ({error.strerror or error}): {SWITCH_ON}"


async def check_bus(
    name: str, device: FittedDevice[Any, Any], config: SpiConfig, context: CheckContext
) -> AsyncIterator[Finding]:
    """Yield the finding *name* on the bus of *device*."""
    host = context.host
    if context.is_in_use:
        yield finding_in_use(name, device.title, context)
    elif not host.has(config.file):
        how = f"To switch it on, {SWITCH_ON}." if context.is_pi else ""
        yield wrong(name, f"{config.file}, the bus of the {device.title}, does not exist.", how)
    elif not host.may_use(config.file):
        what = f"The {device.title} was not tried: {host.user} has no permission to use {config.file}."
        yield note(name, what, "Run `sudo reboard doctor` to try it.")
    else:
        yield fine(name, f"The {device.title} has its bus, {config.file}. Nothing answers on it.")
