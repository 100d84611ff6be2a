"""What a person does with the virtual devices while setup runs."""

from __future__ import annotations

import asyncio

from reboard.devices.keypad import LEGEND
from reboard_sim.devices.contact import VirtualContact
from tests.reboard.setup.person import Person

A_PRESS_S = 0.2

CONNECTED = "Is anything connected to this Pi"
"""The first question if the config has no device."""
LINES = "Test these lines?"
"""The question before the test of the wires."""

QUESTIONS = {
    "block": "Is there a question block?",
    "apple": "Is there a worm apple?",
    "bank": "Is there a banker unit",
    "die": "Is there a speed die?",
    "speaker": "Is there a speaker?",
    "page": "May phones in your network join",
    "mqtt": "Publish the table at an MQTT broker",
}
PARTS = ("left slot", "right slot", "display", "keypad")
"""The parts of the banker unit, in the order of the questions."""


async def press(switch: VirtualContact) -> None:
    """Press and let go."""
    switch.press()
    await asyncio.sleep(A_PRESS_S)
    switch.release()
    await asyncio.sleep(A_PRESS_S)


async def press_key(person: Person, key: str) -> None:
    """Press a key of the keypad and let go."""
    person.pi["bank.keypad"].press(key)
    await asyncio.sleep(A_PRESS_S)
    person.pi["bank.keypad"].release(key)
    await asyncio.sleep(A_PRESS_S)


async def presses_every_key(person: Person) -> None:
    """Press every key of the keypad when setup asks for it, but not before the keypad accepts keys."""
    await person.sees("Press every key once")
    await asyncio.sleep(A_PRESS_S)
    for row in LEGEND:
        for key in row:
            await press_key(person, key)
    await person.sees("Every key works.")


async def comes_to(person: Person, section: str) -> None:
    """Answer that the table has nothing before *section*, and that it has that."""
    await person.answers(LINES, "n", "Which edition do you play?", "")
    for other, question in QUESTIONS.items():
        await person.answers(question, "y" if other == section else "n")
        if other == section:
            return


async def comes_to_part(person: Person, part: str) -> None:
    """Answer that the banker unit has nothing before *part*, and that it has that."""
    await comes_to(person, "bank")
    for other in PARTS[: PARTS.index(part)]:
        await person.answers(f"Is there a {other}", "n")
    await person.answers(f"Is there a {part}", "y")


async def has_nothing_after(person: Person, section: str) -> None:
    """Answer that the table has nothing after *section*, and have the config written."""
    sections = list(QUESTIONS)
    for other in sections[sections.index(section) + 1 :]:
        await person.answers(QUESTIONS[other], "n")
    await person.answers("Write this to", "y")
