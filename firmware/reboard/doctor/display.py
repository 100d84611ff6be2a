"""The display: is its bus on, and does it answer where the config says?"""

from __future__ import annotations

from collections.abc import AsyncIterator

from reboard.config import DisplayConfig
from reboard.doctor.case import Case
from reboard.finding import Finding, fine, note, sentence, wrong
from reboard.machine import Machine
from reboard.settings.pins_and_ports import BACKPACK_ADDRESSES

SWITCH_ON = "`sudo raspi-config nonint do_i2c 0`, then `sudo reboot`."


async def look_at_display(case: Case) -> AsyncIterator[Finding]:
    """Ask the table if it is at work, and else the bus."""
    display = case.config.bank.display if case.config and case.config.bank else None
    if display is None:
        return
    bus = f"/dev/i2c-{display.bus}"
    if case.is_at_work:
        yield _told(case)
    elif not case.machine.has(bus):
        how = SWITCH_ON if case.is_pi else ""
        yield wrong("display.bus", f"I²C bus {display.bus}, where the display is, is not there.", how)
    elif not case.machine.may_use(bus):
        yield note(
            "display.asked",
            f"Whether the display answers was not tried: {case.machine.user} may not use {bus}.",
            "`sudo reboard doctor` tries it.",
        )
    else:
        yield await case.machine.apart(lambda: _tried(case.machine, display))


def _told(case: Case) -> Finding:
    if not case.table:
        return note("display.asked", "Whether the display answers cannot be told: a table may be at work on it.")
    if fault := case.faults.get("display"):
        return wrong("display.answers", f"The table at work says: {sentence(fault)}", case.how_to_look_closer)
    return fine("display.answers", "The table at work shows what it should on its display.")


def _tried(machine: Machine, display: DisplayConfig) -> Finding:
    where = f"0x{display.address:02X} on I²C bus {display.bus}"
    try:
        answering = machine.who_answers(display.bus, BACKPACK_ADDRESSES)
    except OSError as error:
        return wrong(
            "display.bus",
            f"I²C bus {display.bus} does not work: {error.strerror or error}.",
            "Look for a short between SDA, SCL and ground.",
        )
    if display.address in answering:
        return fine("display.answers", f"The display answers at {where}.")
    if answering:
        found = " and ".join(f"0x{address:02X}" for address in answering)
        return wrong(
            "display.address",
            f"Nothing answers at {where}, but something does at {found}.",
            f"If that is the display, write `address = 0x{answering[0]:02X}` into the config.",
        )
    return wrong("display.answers", f"Nothing answers at {where}.", "Look at the display's power, and at SDA and SCL.")
