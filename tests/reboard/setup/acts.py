"""What a person does with the virtual parts while they are set up."""

from __future__ import annotations

import asyncio

from reboard_sim.switch import Switch
from tests.reboard.setup.person import Person

A_PRESS_S = 0.2


async def press(switch: Switch) -> None:
    """Press and let go."""
    switch.close()
    await asyncio.sleep(A_PRESS_S)
    switch.open()
    await asyncio.sleep(A_PRESS_S)


async def press_key(person: Person, key: str) -> None:
    """Press a key of the keypad and let go."""
    person.pi.keypad.press(key)
    await asyncio.sleep(A_PRESS_S)
    person.pi.keypad.release(key)
    await asyncio.sleep(A_PRESS_S)


async def comes_to(person: Person, part: str) -> None:
    """Say that there is no *part* that is asked for before; it is asked for next."""
    await person.answers("Which one is played?")
    for other, question in QUESTIONS.items():
        if other == part:
            return
        await person.answers(question, "n")


async def has_nothing_after(person: Person, part: str) -> None:
    """Say that there is nothing of what is asked for after *part*, and have the config written."""
    parts = list(QUESTIONS)
    for other in parts[parts.index(part) + 1 :]:
        await person.answers(QUESTIONS[other], "n")
    await person.answers("Write this to", "y")


QUESTIONS = {
    "block": "Is there a question block?",
    "apple": "Is there a worm apple?",
    "bank": "Is there a banker unit",
    "speaker": "Is there a speaker?",
}
