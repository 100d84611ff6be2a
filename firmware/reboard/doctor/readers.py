"""The card readers: are they plugged in, free, and do they speak?"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import closing

from reboard.build import SlotName, slot_on_a_line
from reboard.config import KeyboardConfig, LineSlotConfig, Pn532Config
from reboard.doctor.case import Case
from reboard.finding import Finding, fine, note, sentence, wrong

LISTEN_S = 2.0
"""Long enough for a PN532 to be woken and asked, and for a card on a coil to be heard."""


async def look_at_readers(case: Case) -> AsyncIterator[Finding]:
    """Ask the table if it is at work, and else listen to each reader for a while, with the table's own driver."""
    if case.config and case.config.bank and (mixed := case.config.bank.mixed_readers):
        yield mixed
    if case.is_at_work:
        for side in case.line_slots:
            yield _told(case, side)
        return
    for finding in await asyncio.gather(*(_heard(case, side, slot) for side, slot in case.line_slots.items())):
        yield finding


def _told(case: Case, side: str) -> Finding:
    name = f"readers.{side}"
    if not case.table:
        return note(name, f"Whether the {side} reader speaks cannot be told: a table may be at work with it.")
    if fault := case.faults.get(f"{side} slot"):
        return wrong(name, f"The table at work says of the {side} slot: {sentence(fault)}", case.how_to_look_closer)
    return fine(name, f"The table at work has no trouble with its {side} reader.")


async def _heard(case: Case, side: SlotName, config: LineSlotConfig) -> Finding:
    name = f"readers.{side}"
    place = config.device if isinstance(config, KeyboardConfig) else config.port
    if not case.machine.may_use(place):
        return note(
            name,
            f"The {side} reader was not tried: {case.machine.user} may not use {place}.",
            "`sudo reboard doctor` tries it.",
        )
    trouble = ""

    def hear(event: str, /, **fields: object) -> None:
        nonlocal trouble
        trouble = str(fields["cause"]) if event == "fault" else ""

    with closing(slot_on_a_line(config, side, case.machine.devices, hear)) as slot:
        slot.start(lambda _: None, lambda _: None)
        await asyncio.sleep(LISTEN_S)
        if trouble:
            holders = " and ".join(case.machine.holders(place))
            held = f" {holders} has it." if holders else ""
            return wrong(name, sentence(trouble) + held, "" if case.machine.has(place) else _where_else(case))
        words = f"The {side} reader, {slot.description}, "
        if slot.tag:
            return fine(name, f"{words}reads the card {slot.tag}.")
        read, garbage = map(int, re.findall(r"\d+", slot.health))
        if garbage and not read:
            return wrong(
                name,
                f"{words}says only what makes no sense: {slot.health}.",
                f"Is it a {config.reader} at all? Look at its wires and at its ground; docs/readers.md has both.",
            )
        if isinstance(config, Pn532Config):
            return fine(name, f"{words}answers.")
        return fine(name, f"{words}is plugged in; it says nothing until a card comes.")


def _where_else(case: Case) -> str:
    ports = " and ".join(f"{port} ({what})" for port, what in case.machine.serial_ports().items())
    there = f"There are {ports}: " if ports else ""
    return f"{there}`sudo reboard setup` finds out where each reader is."
