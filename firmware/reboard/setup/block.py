"""The question block: its button and its lamp."""

from __future__ import annotations

import asyncio
from contextlib import closing

from reboard.errors import PartError
from reboard.parts.lamp import Lamp
from reboard.setup.draft import USUAL_WIRING
from reboard.setup.pins import ask_input, ask_output
from reboard.setup.visit import Visit

BLINKS = 3
BLINK_S = 0.4


async def set_up_block(visit: Visit) -> None:
    """Is there one, and where are its button and lamp?"""
    talk, draft = visit.talk, visit.draft
    talk.show("\nThe question block")
    if not await visit.has("block", "Is there a question block?"):
        return
    usual = USUAL_WIRING["block.button"]
    draft.put("block.button", await ask_input(visit, "block.button", "its button", "Press the button", usual))


async def set_up_lamp(visit: Visit) -> None:
    """Does it have a lamp, and does that light?"""
    talk, draft = visit.talk, visit.draft
    if draft.get("block") is None:
        return
    if not await visit.has("block.lamp", "Does the block have a lamp?"):
        return
    while True:
        pin = await ask_output(visit, "block.lamp", "the lamp")
        try:
            await _blink(visit, pin)
        except PartError as problem:
            talk.say(f"{problem}")
            continue
        if await talk.yes(f"Did it blink {BLINKS} times?"):
            draft.put("block.lamp", pin)
            return
        talk.say("Then it is on another pin, or the wrong way round: an LED's longer leg goes to the pin.")


async def _blink(visit: Visit, pin: int) -> None:
    with closing(Lamp(pin, pins=visit.board.pins)) as lamp:
        for _ in range(BLINKS):
            lamp.on()
            await asyncio.sleep(BLINK_S)
            lamp.off()
            await asyncio.sleep(BLINK_S)
