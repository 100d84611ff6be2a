from __future__ import annotations

import time

from reboard.config import DisplayConfig
from reboard_sim.lcd import Pcf8574
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.acts import comes_to, has_nothing_after
from tests.reboard.setup.person import Person, set_up_with

AT_3F = '[bank]\ndisplay = { driver = "hd44780-i2c", address = 0x3F }\n'


def goes_dark(backpack: Pcf8574) -> bool:
    """Whether the backlight goes out: a thread of the display's does that, in its own time."""
    patience = time.monotonic() + 15
    while backpack.backlight and time.monotonic() < patience:
        time.sleep(0.001)
    return not backpack.backlight


async def comes_to_the_display(person: Person) -> None:
    await comes_to(person, "bank")
    await person.answers("banker unit", "y")
    for part in ("left slot", "right slot"):
        await person.answers(f"Is there a {part}", "n")
    await person.answers("Is there a display", "y")


def test_a_display_that_cannot_be_read_at_first_is_looked_for_once_more(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_the_display(person)
        await person.answers('Does it show "Can you read this?"', "n")
        await person.sees("No other display answers")
        await person.answers("Look once more?")
        await person.answers('Does it show "Can you read this?"', "y")
        await person.answers("Is there a keypad?", "n")
        await has_nothing_after(person, "bank")

    config = set_up_with(pi, AT_3F, acts).config
    assert config.bank is not None
    assert config.bank.display == DisplayConfig("hd44780-i2c", 1, 0x3F)


def test_the_display_is_dark_again_when_it_was_read(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_the_display(person)
        await person.sees("Can you read this?")
        assert person.pi.backpack.backlight
        person.types("y")
        await person.sees("Is there a keypad?")
        assert goes_dark(person.pi.backpack)
        person.types("q")

    set_up_with(pi, AT_3F, acts)


def test_a_display_that_is_not_connected_is_said(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        person.pi.misbehave("display", True)
        await comes_to_the_display(person)
        await person.sees("No other display answers: look at its power, and at SDA (pin 2) and SCL (pin 3).")
        await person.answers("Look once more?", "n")
        await person.answers("Is there a keypad?", "q")

    set_up_with(pi, AT_3F, acts)


def test_a_bus_that_is_switched_off_is_said_with_what_switches_it_on(pi: MadeUpMachine) -> None:
    pi.remove("/dev/i2c-1")

    async def acts(person: Person) -> None:
        await comes_to_the_display(person)
        await person.sees("There is no I²C bus: `sudo raspi-config nonint do_i2c 0` and `sudo reboot` switch it on.")
        await person.answers("Look once more?", "q")

    set_up_with(pi, AT_3F, acts)


def test_a_bus_that_hangs_keeps_nobody_waiting(pi: MadeUpMachine) -> None:
    pi.hangs.add("work")

    async def acts(person: Person) -> None:
        await comes_to_the_display(person)
        await person.sees("I²C bus 1 hangs")
        person.types("q")

    set_up_with(pi, '[bank]\ndisplay = { driver = "hd44780-i2c" }\n', acts)
