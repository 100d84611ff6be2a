"""A whole setup, from the first question to the config: one test for each kind of evening somebody has with it."""

from __future__ import annotations

import asyncio

from reboard.config import load_config
from reboard.parts.keypad import LEGEND
from reboard.setup.keypad import TO_LEARN
from reboard_sim.deck import DECK
from reboard_sim.switch import Switch
from tests.reboard.doctor.made_up import TABLE, MadeUpMachine
from tests.reboard.setup.person import Person, set_up_with

WIRED = TABLE.replace("/dev/reboard-left", "/dev/ttyUSB0").replace("0x27", "0x3F")
KEYS = [key for row in LEGEND for key in row]


async def press(switch: Switch) -> None:
    switch.close()
    await asyncio.sleep(0.2)
    switch.open()
    await asyncio.sleep(0.2)


async def press_key(person: Person, key: str) -> None:
    person.pi.keypad.press(key)
    await asyncio.sleep(0.2)
    person.pi.keypad.release(key)
    await asyncio.sleep(0.2)


async def wires_all(person: Person) -> None:
    """Everything is wired as in the drawing."""
    await person.answers("Which one is played? [world]", "super-mario")
    await person.answers("Is there a question block? y or n? [y]")
    await person.answers("Which pin is its button on? A number, or f to find it. [17]")
    await person.sees("Press the button now.")
    await press(person.pi.button)
    await person.sees("Pin 17 heard it.")
    await person.answers("Does the block have a lamp? y or n? [y]")
    await person.answers("Which pin is the lamp on? [27]")
    await person.answers("Did it blink 3 times?", "y")
    await person.answers("Is there a worm apple?", "y")
    await person.answers("Which pin is its lever on? A number, or f to find it. [22]")
    await person.sees("Pull the lever all the way back")
    await press(person.pi.lever)
    await person.answers("Does the apple have a motor?")
    await person.answers("Which pin is the motor on? [13]")
    await person.answers("Are all fingers away from it? y or n? [n]", "y")
    await person.answers("Did it turn, and stop?", "y")
    await person.answers("Is there a banker unit")
    for side in ("left", "right"):
        await person.answers(f"Is there a {side} slot")
        await person.answers("What is in it?")
        await person.sees(f"Hold a card to the {side} slot now.")
        person.pi.reader(side).put(DECK[0])
        await person.sees(f"The card {DECK[0]} was read by a reader of the kind rdm6300")
        person.pi.reader(side).take()
    await person.answers("Is there a display")
    await person.sees("Something answers at 0x3F on bus 1.")
    assert person.pi.lcd.lines() == ["Can you read    ", "this? 0x3F      "]
    await person.answers('Does it show "Can you read this?"', "y")
    await person.answers("Is there a keypad?")
    await person.answers("Is it wired so?", "y")
    await person.sees("Press every key once, in any order.")
    for key in KEYS:
        await press_key(person, key)
    await person.sees("Every key works.")
    await person.answers("Is there a speaker?")
    await person.answers("plughw:CARD=Device played a sound. Did you hear it?", "y")
    await person.answers("Write this to")
    await person.sees("is written.")


def test_a_table_that_is_wired_as_drawn_is_set_up_by_trying_every_part(pi: MadeUpMachine) -> None:
    outcome = set_up_with(pi, WIRED, wires_all)
    assert outcome.is_written
    config = outcome.config
    expected = pi.root / "expected.toml"
    expected.write_text(
        TABLE.replace("world", "super-mario")
        .replace("0x27", "0x3F")
        .replace("[speaker]", '[speaker]\ndevice = "plughw:CARD=Device"')
        .replace('[page]\nlisten = "0.0.0.0:8080"', "")
    )
    wanted = load_config(expected)
    assert (config.edition, config.block, config.apple, config.bank) == (
        wanted.edition,
        wanted.block,
        wanted.apple,
        wanted.bank,
    )
    assert (config.speaker, config.page) == (wanted.speaker, wanted.page)
    rules = pi.text("/etc/udev/rules.d/70-reboard-readers.rules").splitlines()
    assert rules[-1] == 'SUBSYSTEM=="tty", ENV{ID_PATH}=="platform-xhci-usb-0:1.2:1.0", SYMLINK+="reboard-left"'
