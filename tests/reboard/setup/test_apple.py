from __future__ import annotations

import asyncio

import pytest

from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.acts import comes_to, has_nothing_after, press
from tests.reboard.setup.person import Person, set_up_with

APPLE = "[apple]\nlever = 22\nmotor = 13\n"
FINGERS = "The motor will turn for a second. Are all fingers away from it? y or n? [n]"


async def comes_to_the_motor(person: Person) -> None:
    await comes_to(person, "apple")
    await person.answers("worm apple?", "y")
    await person.answers("its lever on?", "")
    await person.sees("Pull the lever all the way back, and let go, now.")
    await press(person.pi.lever)
    await person.answers("a motor?", "y")


def running_s(pi: MadeUpMachine, answers: list[str]) -> float:
    """How long the motor's line is high at all while the questions about it are answered."""
    changes: list[tuple[float, bool]] = []

    async def acts(person: Person) -> None:
        motor = person.pi.pins.line(13)
        motor.on_change.append(lambda t, duty: changes.append((t, duty > 0)))
        await comes_to_the_motor(person)
        await person.answers("Which pin is the motor on? [13]")
        await person.sees(FINGERS)
        for answer in answers:
            person.types(answer)
            await asyncio.sleep(3)
        assert not motor.level

    set_up_with(pi, APPLE, acts)
    on = [t for t, is_on in changes if is_on]
    off = [t for t, is_on in changes if not is_on]
    return off[-1] - on[0] if on else 0.0


def test_the_motor_turns_for_a_second_at_the_most_and_only_after_a_yes(pi: MadeUpMachine) -> None:
    assert 0.5 < running_s(pi, ["y", "q"]) <= 1.0


@pytest.mark.parametrize("answer", ["", "n", "b", "s", "q"])
def test_the_motor_does_not_turn_without_a_yes(pi: MadeUpMachine, answer: str) -> None:
    assert running_s(pi, [answer, "q"]) == 0


def test_who_hangs_up_while_the_motor_turns_leaves_it_stopped(pi: MadeUpMachine) -> None:
    levels = []

    async def acts(person: Person) -> None:
        await comes_to_the_motor(person)
        await person.answers("Which pin is the motor on?")
        await person.answers(FINGERS, "y")
        person.hangs_up()
        await asyncio.sleep(3)
        levels.append(person.pi.pins.line(13).level)

    set_up_with(pi, APPLE, acts)
    assert levels == [False]


def test_the_motor_never_turns_without_somebody_behind_it(pi: MadeUpMachine) -> None:
    behind: list[list[int]] = []

    async def acts(person: Person) -> None:
        person.pi.pins.line(13).on_change.append(lambda _, duty: behind.append([*person.guarded]) if duty else None)
        await comes_to_the_motor(person)
        await person.answers("Which pin is the motor on?")
        await person.answers(FINGERS, "y")
        await person.sees("Did it turn, and stop?")
        assert person.guarded == []

    set_up_with(pi, APPLE, acts)
    assert behind
    assert all(pins == [13] for pins in behind)


def test_a_pin_that_is_high_while_a_pi_starts_is_refused_for_the_motor(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_the_motor(person)
        await person.answers("Which pin is the motor on? [13]", "7")
        await person.sees("A Pi pulls pins 0 to 8 high while it starts")
        await person.answers("Which pin is the motor on? [13]")
        await person.answers(FINGERS, "n")
        await person.sees("It was not turned.")
        await has_nothing_after(person, "apple")

    config = set_up_with(pi, APPLE, acts).config
    assert config.apple is not None
    assert config.apple.motor == 13


def test_a_motor_that_did_not_turn_is_asked_for_again(pi: MadeUpMachine) -> None:
    async def acts(person: Person) -> None:
        await comes_to_the_motor(person)
        await person.answers("Which pin is the motor on?", "18")
        await person.answers(FINGERS, "y")
        await person.answers("Did it turn, and stop?", "n")
        await person.sees("its 10 kilo-ohm resistor to ground")
        await person.answers("Which pin is the motor on?", "q")

    set_up_with(pi, APPLE, acts)
