"""Pins: which one is a part wired to? It is asked for and tried, or found by listening to all that are free."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, closing, suppress
from functools import partial

from reboard.errors import PartError
from reboard.parts.contact import Contact
from reboard.parts.wire import InputWire
from reboard.settings.pins_and_ports import FIRST_PIN, LAST_PIN, PULLED_HIGH_AT_BOOT
from reboard.setup.draft import USUAL_WIRING
from reboard.setup.kernel_pins import kernels_pins
from reboard.setup.visit import Visit

OUTPUTS = ("block.lamp", "apple.motor")
"""Parts that must not be listened to: what pulls a button's pin up could turn a motor on."""


async def ask_input(visit: Visit, name: str, what: str, gesture: str, usual: int | None = None) -> int:
    """The pin of the contact *name*, called *what*, found or tried by a *gesture*: ``Press the button``."""
    talk, default = visit.talk, visit.draft.get(name) or usual
    while True:
        answer = await talk.ask(f"Which pin is {what} on? A number, or f to find it.", str(default or "f"))
        if answer.lower() == "f":
            found = await talk.until(
                f"{gesture} now. Enter, if nothing happens.", first_to_close(visit, free_pins(visit, name))
            )
            if found is None:
                talk.say("No free pin heard anything: look at both wires, the one to the pin and the one to ground.")
                continue
            talk.say(f"That was pin {found}.")
            return found
        pin = pin_of(visit, name, answer)
        if pin is not None and await _is_heard(visit, pin, what, gesture):
            return pin


async def ask_output(visit: Visit, name: str, what: str, lowest: int = FIRST_PIN) -> int:
    """The pin of the lamp or motor *name*, called *what*."""
    default = visit.draft.get(name) or USUAL_WIRING[name]
    while True:
        pin = pin_of(visit, name, await visit.talk.ask(f"Which pin is {what} on?", str(default)))
        if pin is None:
            continue
        if pin >= lowest:
            return pin
        visit.talk.say(
            f"A Pi pulls pins 0 to {PULLED_HIGH_AT_BOOT[-1]} high while it starts, and the worms would dance on their "
            f"own: take one from {lowest} to {LAST_PIN}."
        )


def pin_of(visit: Visit, name: str, answer: str) -> int | None:
    """The free pin that *answer* names; otherwise it is said what is wrong with it."""
    if not answer.isdecimal() or not FIRST_PIN <= int(answer) <= LAST_PIN:
        visit.talk.say(f"A pin is a number from {FIRST_PIN} to {LAST_PIN}: the one behind GPIO on the drawings.")
        return None
    pin = int(answer)
    if pin not in free_pins(visit, name):
        users = {**kernels_pins(visit.machine), **visit.draft.pins()}
        visit.talk.say(f"Pin {pin} is taken already, by {users.get(pin, 'a lamp or motor of the drawing')}.")
        return None
    return pin


def free_pins(visit: Visit, name: str) -> list[int]:
    """The pins that nothing but *name* is on, nor the kernel at work with.

    A lamp or motor that is still to be asked for is where it is drawn.
    """
    taken = {*kernels_pins(visit.machine)} | {
        pin for pin, user in visit.draft.pins().items() if not f"{user}.".startswith(f"{name}.")
    }
    for output in OUTPUTS:
        if output != name and visit.draft.get(output) is None:
            taken.add(USUAL_WIRING[output])
    return [pin for pin in range(FIRST_PIN, LAST_PIN + 1) if pin not in taken]


async def first_to_close(visit: Visit, pins: list[int]) -> int:
    """The first of *pins* that is joined to ground from now on; one that is already, or cannot be had, is none."""
    closed: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def hear(pin: int, is_closed: bool) -> None:
        if is_closed and not closed.done():
            closed.set_result(pin)

    with ExitStack() as wires:
        for pin in pins:
            with suppress(PartError):
                wire = InputWire(pin, pins=visit.board.pins, part="wire", edge=partial(hear, pin))
                wires.enter_context(closing(wire))
        return await closed


async def _is_heard(visit: Visit, pin: int, what: str, gesture: str) -> bool:
    try:
        with closing(Contact(pin, pins=visit.board.pins, name=what)) as contact:
            heard = await visit.talk.until(f"{gesture} now. Enter, if nothing happens.", _closes(contact))
    except PartError as problem:
        visit.talk.say(f"{problem}")
        return False
    if heard:
        visit.talk.say(f"Pin {pin} heard it.")
        return True
    visit.talk.say(f"Nothing came on pin {pin}: look at both wires, the one to the pin and the one to ground.")
    return await visit.talk.yes("Take that pin all the same?", default=False)


async def _closes(contact: Contact) -> bool:
    await contact.closes()
    return True
