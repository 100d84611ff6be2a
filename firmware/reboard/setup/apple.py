"""The worm apple: its lever and its motor, which turns only when somebody has said yes."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager

from reboard.dance import Step
from reboard.errors import PartError
from reboard.parts.motor import Motor
from reboard.settings.pins_and_ports import PULLED_HIGH_AT_BOOT
from reboard.setup.draft import USUAL_WIRING
from reboard.setup.pins import ask_input, ask_output
from reboard.setup.visit import Visit

TURN_S = 0.8
LONGEST_TURN_S = 1.0


async def set_up_lever(visit: Visit) -> None:
    """Is there an apple, and where is its lever?"""
    talk, draft = visit.talk, visit.draft
    talk.show("\nThe worm apple")
    if not await visit.has("apple", "Is there a worm apple?"):
        return
    usual = USUAL_WIRING["apple.lever"]
    lever = await ask_input(visit, "apple.lever", "its lever", "Pull the lever all the way back, and let go,", usual)
    draft.put("apple.lever", lever)


async def set_up_motor(visit: Visit) -> None:
    """Does it have a motor, and does that turn?"""
    talk, draft = visit.talk, visit.draft
    if draft.get("apple") is None:
        return
    if not await visit.has("apple.motor", "Does the apple have a motor?"):
        return
    while True:
        pin = await ask_output(visit, "apple.motor", "the motor", lowest=PULLED_HIGH_AT_BOOT[-1] + 1)
        if not await talk.yes("The motor will turn for a second. Are all fingers away from it?", default=False):
            talk.say("It was not turned.")
            draft.put("apple.motor", pin)
            return
        try:
            await _turn(visit, pin)
        except PartError as problem:
            talk.say(f"{problem}")
            continue
        if await talk.yes("Did it turn, and stop?"):
            draft.put("apple.motor", pin)
            return
        talk.say(
            "If it did not turn: look at its supply, at the transistor's gate, and at the pin. If it did not stop, "
            "pull its plug: the gate needs its 10 kilo-ohm resistor to ground."
        )


async def _turn(visit: Visit, pin: int) -> None:
    async with visit.guard(pin) as report:
        motor = Motor(pin, pins=visit.board.pins, longest_s=LONGEST_TURN_S, report=report)
        with closing(motor), _without_ctrl_z():
            async with motor.dancing((Step(1.0, TURN_S),)):
                await asyncio.sleep(TURN_S)


@contextmanager
def _without_ctrl_z() -> Iterator[None]:
    """Ignore Ctrl-Z: the guard would end the setup, and all answers would be lost."""
    before = signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)
