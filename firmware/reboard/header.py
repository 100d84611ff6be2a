"""The chip behind the 40-pin header, through lgpio: what pins stand on."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reboard.errors import PartError
from reboard.service_manager import runtime_directory

DEVICES = Path("/dev")
MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory, which has room also when the disk is full."""
CONSUMER = "reboard"
"""What the kernel says of a pin whose edges we hear."""

HEADER_LABELS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
"""What kernels call the chip behind the 40-pin header. Its number differs from kernel to kernel."""


def load_lgpio() -> Any:
    """The library lgpio. Raises `PartError` when it is not installed."""
    with _lgpio_working_directory():
        try:
            import lgpio
        except ImportError as error:
            raise PartError(
                "the library lgpio is missing, so the Pi's pins cannot be used: on a Pi install python3-lgpio; "
                "on any other machine set GPIOZERO_PIN_FACTORY=mock"
            ) from error
    return lgpio


@contextmanager
def _lgpio_working_directory() -> Iterator[None]:
    """A directory for the pipe that lgpio makes when it is imported, and our own working directory afterwards.

    lgpio changes to ``$LG_WD``, makes the pipe there under a fixed name and opens both its ends; the name is not
    needed again, and would be in the way of a second process.
    """
    before = Path.cwd()
    in_memory = MEMORY if os.access(MEMORY, os.W_OK | os.X_OK) else None
    with tempfile.TemporaryDirectory(dir=runtime_directory() or in_memory) as directory:
        os.environ["LG_WD"] = directory
        try:
            yield
        finally:
            del os.environ["LG_WD"]
            os.chdir(before)


def header_chip(lgpio: Any) -> int:
    """The number of the GPIO chip behind the header, found by its label. Raises `PartError`."""
    seen: list[str] = []
    chips = sorted(DEVICES.glob("gpiochip*"))
    for path in chips:
        number = int(path.name.removeprefix("gpiochip"))
        try:
            handle = lgpio.gpiochip_open(number)
        except lgpio.error:
            continue
        try:
            _, _, _, label = lgpio.gpio_get_chip_info(handle)
        finally:
            lgpio.gpiochip_close(handle)
        if label in HEADER_LABELS:
            return number
        seen.append(f"{path} ({label})")
    if seen:
        raise PartError(f"no GPIO chip here is a Raspberry Pi's header; there are {', '.join(seen)}")
    if chips:
        raise PartError("the GPIO chips in /dev cannot be opened: run as root, or join the group gpio and log in again")
    raise PartError(
        "this machine has no GPIO chip in /dev: reboard run plays on a Raspberry Pi; "
        "elsewhere set GPIOZERO_PIN_FACTORY=mock, or play on the virtual Pi with reboard-sim"
    )
