"""The display: found on its bus by its address, and read."""

from __future__ import annotations

import asyncio
from contextlib import closing
from functools import partial

from reboard.parts.display import Display
from reboard.settings.pins_and_ports import BACKPACK_ADDRESSES
from reboard.setup.visit import Visit

SHOWING_S = 0.5
"""How long a display takes to be found, initialised and written."""

LONGEST_LOOK_S = 5.0
"""A bus whose wires are shorted takes a second for each address."""

USUAL_BUS = 1


async def set_up_display(visit: Visit) -> None:
    """Is there one, and at which address?"""
    talk, draft = visit.talk, visit.draft
    if draft.get("bank") is None:
        return
    talk.show("\nThe display")
    if not await visit.has("bank.display", "Is there a display of two lines, with an I²C backpack?"):
        return
    while True:
        for bus, address in await _answering(visit):
            if await _is_read(visit, bus, address):
                draft.put("bank.display", {"driver": "hd44780-i2c", "bus": bus, "address": address})
                return
        talk.say("No other display answers: look at its power, and at SDA (pin 2) and SCL (pin 3).")
        if not await talk.yes("Look once more?"):
            return


async def _answering(visit: Visit) -> list[tuple[int, int]]:
    """Every bus and address where something answers that could be a display."""
    buses = [int(name.rpartition("-")[2]) for name in visit.machine.named("/dev/i2c-[0-9]*")]
    if not buses:
        visit.talk.say("There is no I²C bus: `sudo raspi-config nonint do_i2c 0` and `sudo reboot` switch it on.")
    found = []
    for bus in sorted(buses, key=lambda bus: (bus != USUAL_BUS, bus)):
        try:
            async with asyncio.timeout(LONGEST_LOOK_S):
                answering = await visit.machine.apart(partial(visit.machine.who_answers, bus, BACKPACK_ADDRESSES))
            found += [(bus, address) for address in answering]
        except TimeoutError:
            visit.talk.say(f"I²C bus {bus} hangs: look for a short between SDA, SCL and ground.")
        except OSError as error:
            visit.talk.say(f"I²C bus {bus} cannot be used: {error.strerror or error}.")
    return found


async def _is_read(visit: Visit, bus: int, address: int) -> bool:
    troubles: list[object] = []

    def hear(event: str, /, **fields: object) -> None:
        if event == "fault":
            troubles.append(fields["cause"])

    with closing(Display(visit.board, bus, address, emit=hear)) as display:
        display.show("Can you read", f"this? 0x{address:02X}")
        await asyncio.sleep(SHOWING_S)
        if troubles:
            visit.talk.say(f"At 0x{address:02X}: {troubles[-1]}.")
            return False
        visit.talk.say(
            f"Something answers at 0x{address:02X} on bus {bus}. If the display is lit and empty, or shows blocks, "
            "turn the small screw on its back."
        )
        return await visit.talk.yes('Does it show "Can you read this?"')
