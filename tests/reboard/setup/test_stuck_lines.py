"""The mistakes of a first build that setup finds before it tries a device."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest
from gpiozero import InputDevice

from reboard_sim.board.pins import VirtualPins
from tests.reboard.doctor.made_up import TABLE as WIRED
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.acts import LINES
from tests.reboard.setup.person import set_up_at

GOOD = "No line of a switch or a key is stuck"


def _short(one: int, other: int) -> Callable[[VirtualPins], None]:
    return lambda pins: pins.line(one).join(pins.line(other))


def _to_ground(pins: VirtualPins) -> None:
    pins.line(5).join(pins.ground)


def _to_3v3(pins: VirtualPins) -> None:
    pins.line(25).drive(True, by="3.3 V")


def _without_pull_up(pins: VirtualPins) -> None:
    pins.line(22).pull_outside = None


MISTAKES = [
    pytest.param(_to_ground, "GPIO5 (bank.keypad) is connected to ground.", id="a wire at ground"),
    pytest.param(_to_3v3, "GPIO25 (bank.keypad) is held high. By the config, no", id="a wire at 3.3 V"),
    pytest.param(_without_pull_up, "GPIO22 (apple.lever) is not held high.", id="no pull-up"),
    pytest.param(_short(23, 24), "GPIO23 (bank.keypad) and GPIO24 (bank.keypad) are connected.", id="a bridge"),
    pytest.param(_short(17, 22), "GPIO17 (block.button) and GPIO22 (apple.lever) are connected.", id="protected lines"),
]


@pytest.mark.parametrize(("mistake", "words"), MISTAKES)
async def test_a_wrong_wire_is_named_until_it_is_mended(
    pi: MadeUpMachine, mistake: Callable[[VirtualPins], None], words: str
) -> None:
    async with set_up_at(pi, WIRED, before=WIRED) as person:
        mistake(person.pi.pins)
        await person.answers(LINES, "y")
        await person.sees(words)
        await person.answers("Test the lines again?", "")
        await person.sees(words)
        await person.answers("Test the lines again?", "n", "Which edition", "q")


@pytest.mark.parametrize("before", [None, WIRED], ids=["a new table", "a known table"])
async def test_a_table_without_mistakes_passes_and_nothing_turns_or_shines(
    pi: MadeUpMachine, before: str | None
) -> None:
    async with set_up_at(pi, WIRED, before=before) as person:
        moved = []
        for pin in (13, 27):
            person.pi.pins.line(pin).on_change.append(lambda *change: moved.append(change))
        await person.answers(LINES, "y")
        await person.sees(GOOD)
        await person.answers("Which edition", "q")
    assert not moved
    assert not person.pi.pins.shorts


async def test_lines_that_another_program_uses_are_not_good(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, WIRED, before=WIRED) as person:
        with closing(InputDevice(5, pull_up=True, pin_factory=person.pi.pins)):
            await person.answers(LINES, "y")
            await person.sees("Not tested: GPIO5 (bank.keypad). End the program that uses these pins first.")
        assert GOOD not in person.said
        await person.answers("Test the lines again?", "")
        await person.sees(GOOD)
        await person.answers("Which edition", "q")


async def test_a_line_that_is_not_in_the_config_may_have_a_pull_up(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, "[block]\nbutton = 5\n") as person:
        await person.answers(LINES, "y")
        await person.sees(GOOD)
        await person.sees("Held high: GPIO5 (the keypad in the drawing). A switch with a pull-up resistor does that.")
        await person.answers("Which edition", "q")


async def test_a_line_that_cannot_be_driven_ends_the_test_and_not_setup(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("the line is gone")

    monkeypatch.setattr("reboard.setup.stuck_lines.OutputDevice", refuse)
    async with set_up_at(pi, WIRED, before=WIRED) as person:
        await person.answers(LINES, "y")
        await person.sees("The test of the wires failed, so it is skipped: the line on GPIO")
        await person.sees("the line is gone")
        await person.answers("Which edition", "q")
