"""A device reports its faults by its title, by which doctor and the pages find it."""

from __future__ import annotations

import asyncio
import errno
import tomllib
from typing import Any, NoReturn

import pytest

from reboard.devices.device import FittedDevice
from reboard.devices.display import DISPLAY
from reboard.devices.displays.display_controller import DISPLAY_KINDS, DisplayConfig
from reboard.devices.keypad import KEYPAD, KeypadConfig
from reboard.devices.readers.card_slot import CARD_SLOT
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.contact import VirtualContact
from tests.virtual import Recorder, in_virtual_time


def missing(*_: object) -> NoReturn:
    raise FileNotFoundError(errno.ENOENT, "missing")


class Board:
    """A board without a port and a bus."""

    open_i2c = open_serial = open_keyboard = open_spi = missing

    def __init__(self, pins: VirtualPins) -> None:
        self.pins = pins


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        *((DISPLAY, DisplayConfig(kind, 1, of.usual_addresses[0])) for kind, of in DISPLAY_KINDS.items()),
        (KEYPAD, KeypadConfig((23, 24, 25, 12), (7, 6, 16, 26))),
        *(
            (CARD_SLOT, kind.config(**tomllib.loads(f"slot = {kind.example('left')}")["slot"]))
            for kind in READER_KINDS.values()
        ),
    ],
)
@in_virtual_time
async def test_a_fault_has_the_title_of_its_device(kind: Any, config: Any) -> None:
    pins = VirtualPins(asyncio.get_running_loop().time)
    board: Any = Board(pins)
    device: FittedDevice[Any, Any] = FittedDevice("vault.part", "vault's part", kind, config)
    emit = Recorder()
    async with device.open(board, emit) as driver:
        if kind is not DISPLAY:
            driver.start(*[lambda *_: None] * (4 if kind is KEYPAD else 2))
        loose = VirtualContact(pins.line(7), pins.ground)
        for _ in range(100):  # a loose wire of the switches, or a short circuit of the keypad
            loose.press()
            await asyncio.sleep(0.1)
            if kind is CARD_SLOT:
                loose.release()
    assert ("fault", "vault's part") in {(name, fields.get("part")) for name, fields in emit.events}
