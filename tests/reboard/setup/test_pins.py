from __future__ import annotations

from typing import Any

import pytest

from reboard.parts.wire import InputWire
from reboard.setup import pins as module
from reboard.setup.kernel_pins import kernels_pins
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.acts import comes_to, has_nothing_after, press
from tests.reboard.setup.person import Person, set_up_with

ELSEWHERE = "[block]\nbutton = 4\nlamp = 20\n"
BUTTON = "Which pin is its button on? A number, or f to find it."


def test_a_button_on_another_pin_is_found_by_pressing_it(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to(person, "block")
        await person.answers("question block?", "y")
        await person.answers(BUTTON, "f")
        await person.sees("Press the button now.")
        await press(person.pi.button)
        await person.sees("That was pin 4.")
        await person.answers("a lamp?", "n")
        await has_nothing_after(person, "block")

    config = set_up_with(pi, ELSEWHERE, acts).config
    assert config.block is not None
    assert config.block.button == 4


def test_while_a_button_is_looked_for_nothing_pulls_at_lamp_or_motor(pi: MadeUpMachine) -> None:
    levels: list[bool] = []

    async def acts(person: Person) -> None:
        await comes_to(person, "block")
        await person.answers("question block?", "y")
        await person.answers(BUTTON, "f")
        await person.sees("Press the button now.")
        levels.extend(person.pi.pins.line(pin).level for pin in (13, 27))
        person.types("q")

    set_up_with(pi, ELSEWHERE, acts)
    assert levels == [False, False]


def test_a_pin_on_which_nothing_is_heard_is_asked_for_again(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to(person, "block")
        await person.answers("question block?", "y")
        await person.answers(BUTTON, "17")
        await person.answers("Enter, if nothing happens.")
        await person.sees("Nothing came on pin 17: look at both wires, the one to the pin and the one to ground.")
        await person.answers("Take that pin all the same? y or n? [n]")
        await person.answers(BUTTON, "4")
        await person.sees("Press the button now.")
        await press(person.pi.button)
        await person.answers("a lamp?", "n")
        await has_nothing_after(person, "block")

    assert "Pin 4 heard it." in set_up_with(pi, ELSEWHERE, acts).said


def test_when_no_free_pin_hears_anything_that_is_said(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to(person, "block")
        await person.answers("question block?", "y")
        await person.answers(BUTTON, "f")
        await person.answers("Enter, if nothing happens.")
        await person.sees("No free pin heard anything")
        await person.answers(BUTTON, "q")

    set_up_with(pi, ELSEWHERE, acts)


def test_what_is_no_free_pin_is_said_with_why(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to(person, "block")
        await person.answers("question block?", "y")
        for answer in ("seventeen", "1", "28", "-4", "²"):
            await person.answers(BUTTON, answer)
            await person.sees("A pin is a number from 2 to 27")
        await person.answers(BUTTON, "13")
        await person.sees("Pin 13 is taken already, by a lamp or motor of the drawing.")
        await person.answers(BUTTON, "4")
        await person.sees("Press the button now.")
        await press(person.pi.button)
        await person.answers("a lamp?", "y")
        await person.answers("Which pin is the lamp on?", "4")
        await person.sees("Pin 4 is taken already, by block.button.")
        person.types("q")

    set_up_with(pi, ELSEWHERE, acts)


def test_a_lamp_that_does_not_blink_is_asked_for_again(pi: MadeUpMachine) -> None:
    blinks = []

    async def acts(person: Person) -> None:
        person.pi.lamp.on_change.append(lambda _, duty: blinks.append(duty))
        await comes_to(person, "block")
        await person.answers("question block?", "y")
        await person.answers(BUTTON, "4")
        await person.sees("Press the button now.")
        await press(person.pi.button)
        await person.answers("a lamp?", "y")
        await person.answers("Which pin is the lamp on? [27]", "19")
        await person.answers("Did it blink 3 times?", "n")
        assert not blinks
        await person.answers("Which pin is the lamp on? [27]", "20")
        await person.answers("Did it blink 3 times?", "y")
        await has_nothing_after(person, "block")

    config = set_up_with(pi, ELSEWHERE, acts).config
    assert config.block is not None
    assert config.block.lamp == 20
    assert [duty for duty in blinks if duty] == [1.0] * 3


async def looks_for_a_button(person: Person) -> None:
    await comes_to(person, "block")
    await person.answers("question block?", "y")
    await person.answers(BUTTON, "f")
    await person.sees("Press the button now.")


@pytest.mark.parametrize(
    ("there", "says", "pins", "words"),
    [
        ("/dev/i2c-1", "", {2, 3}, "the I²C bus"),
        ("/dev/ttyS0", "", {14, 15}, "the serial port"),
        ("/proc/device-tree/soc/i2s@7e203000/status", "okay\0", {18, 19, 20, 21}, "a sound card (I²S)"),
        ("/proc/device-tree/axi/pcie@120000/rp1/i2s@a0000/status", "okay\0", {18, 19, 20, 21}, "a sound card (I²S)"),
        ("/proc/device-tree/soc/i2s@7e203000/status", "disabled\0", set(), ""),
    ],
)
def test_pins_that_the_kernel_is_at_work_with_are_left_alone(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch, there: str, says: str, pins: set[int], words: str
) -> None:
    for name in ("/dev/i2c-1", "/dev/ttyAMA0"):
        pi.remove(name)
    pi.write(there, says)
    touched: set[int] = set()

    def touching(pin: int, **how: Any) -> InputWire:
        touched.add(pin)
        return InputWire(pin, **how)

    async def acts(person: Person) -> None:
        await looks_for_a_button(person)
        person.types("")
        await person.answers(BUTTON, str(min(pins, default=13)))
        await person.sees(f"is taken already, by {words or 'a lamp or motor of the drawing'}.")
        person.types("q")

    monkeypatch.setattr(module, "InputWire", touching)
    set_up_with(pi, ELSEWHERE, acts)
    assert {2, 3, 14, 15, 18, 19, 20, 21} - touched == pins


def test_bluetooths_serial_port_is_not_on_the_header(pi: MadeUpMachine) -> None:
    pi.link("/dev/serial1", "ttyAMA0")
    assert not {14, 15} & set(kernels_pins(pi))


def test_a_pin_that_somebody_else_has_is_left_alone(pi: MadeUpMachine) -> None:
    pi.taken_by(GPIO4="onewire@4")
    assert kernels_pins(pi)[4] == "onewire@4"
