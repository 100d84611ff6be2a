"""The discovery of a display by setup: every address is tried with each kind of controller that can have it."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import chain

from reboard.devices.displays.display_controller import DISPLAY_KINDS, SWITCH_ON, DisplayConfig, DisplayControllerKind
from reboard.devices.displays.text_display import Display
from reboard.devices.examination import TryOut, advise
from reboard.events import Fault
from reboard.languages import DISPLAY_COLUMNS
from reboard.vocabulary.declared import Event

TRY_S = 0.5
"""The time that setup waits for a display to be initialised and written to, in seconds."""

LONGEST_SEARCH_S = 5.0
"""The longest search on one I²C bus, in seconds. A bus with a short circuit takes a second for each address."""

PICTURES = (("█" * DISPLAY_COLUMNS,) * 2, ("█ " * (DISPLAY_COLUMNS // 2), " █" * (DISPLAY_COLUMNS // 2)))
"""All dots and a chequered pattern: what a display with a weak supply or with pins that touch cannot show."""

PICTURE_S = 1.0

USUAL_BUS = 1


async def find_display(work: TryOut) -> dict[str, object] | None:
    """Search the buses until the user reads a display, and return its setting. ``None`` if the user gives up."""
    while True:
        answering = await _answering(work)
        tried: dict[DisplayControllerKind, None] = {}
        for bus, address in answering:
            for kind in _kinds_at(address):
                tried[kind] = None
                if await _is_read(work, kind, bus, address):
                    return {"driver": kind.name, "bus": bus, "address": address}
        if answering:
            where = " and ".join(f"0x{address:02X} on bus {bus}" for bus, address in answering)
            work.prompts.say(f"A device answers at {where}, but shows nothing that you can read.")
            mistakes = dict(chain.from_iterable(kind.mistakes.items() for kind in tried))
            await advise(work.prompts, "What does it show?", mistakes)
        else:
            work.prompts.say("No display was found: check the display's power, SDA (GPIO2) and SCL (GPIO3).")
        if not await work.prompts.yes("Search again?"):
            return None


def _kinds_at(address: int) -> list[DisplayControllerKind]:
    """Return the kinds with *address*, first those with few addresses, because such a device is likely one of them."""
    kinds = [kind for kind in DISPLAY_KINDS.values() if kind.has_address(address)]
    return sorted(kinds, key=lambda kind: sum(map(len, kind.addresses)))


async def _answering(work: TryOut) -> list[tuple[int, int]]:
    """Return each I²C bus and address of a controller at which a device answers, and print the faults of the buses."""
    buses = [int(name.rpartition("-")[2]) for name in work.host.named("/dev/i2c-[0-9]*")]
    if not buses:
        work.prompts.say(f"There is no I²C bus: run {SWITCH_ON}.")
    addresses = sorted({*chain.from_iterable(chain(*kind.addresses) for kind in DISPLAY_KINDS.values())})
    found = []
    for bus in sorted(buses, key=lambda bus: (bus != USUAL_BUS, bus)):
        try:
            async with asyncio.timeout(LONGEST_SEARCH_S):
                answering = await work.host.in_thread(partial(work.host.i2c_addresses, bus, addresses))
            found += [(bus, address) for address in answering]
        except TimeoutError:
            work.prompts.say(f"I²C bus {bus} hangs: look for a short between SDA, SCL and ground.")
        except OSError as error:
            work.prompts.say(f"I²C bus {bus} cannot be used: {error.strerror or error}.")
    return found


async def _is_read(work: TryOut, kind: DisplayControllerKind, bus: int, address: int) -> bool:
    causes: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, Fault):
            causes.append(event.cause)

    display = Display(kind.open(work.board, DisplayConfig(kind.name, bus, address)), emit=hear)
    try:
        work.prompts.say(
            f"A device answers at 0x{address:02X} on bus {bus}. It now shows two rows of blocks, a chequered pattern "
            f"and a question. {kind.before_reading}".rstrip()
        )
        for picture in PICTURES:
            display.show(*picture)
            await asyncio.sleep(PICTURE_S)
        display.show("Can you read", f"this? 0x{address:02X}")
        await asyncio.sleep(TRY_S)
        if causes:
            work.prompts.say(f"At 0x{address:02X}: {causes[-1]}.")
            return False
        return await work.prompts.yes('Does it show "Can you read this?"')
    finally:
        await display.closed()
