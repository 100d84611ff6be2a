import asyncio
from collections.abc import Awaitable, Callable
from random import Random

import pytest
from gpiozero import LED

from reboard.devices.contact import Button, Contact, Lever
from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.contact import VirtualContact
from tests.virtual import now

PIN = 17
watching: set[asyncio.Task[None]] = set()


def virtual_pins() -> VirtualPins:
    return VirtualPins(asyncio.get_running_loop().time)


def changes_of(contact: Contact) -> list[tuple[float, bool]]:
    """The changes that a waiter sees from now on, with their times."""
    changes: list[tuple[float, bool]] = []

    async def watch() -> None:
        while True:
            await (contact.opened() if contact.is_closed else contact.closed())
            changes.append((now(), contact.is_closed))

    watching.add(asyncio.get_running_loop().create_task(watch()))
    return changes


async def test_the_first_edge_acts_at_once_and_a_short_glitch_is_one_press() -> None:
    pins = virtual_pins()
    changes = changes_of(Contact(PIN, pins=pins))
    await asyncio.sleep(1)
    pins.line(PIN).drive(False)
    await asyncio.sleep(0.001)
    assert changes == [(1.0, True)]
    pins.line(PIN).drive(None)
    await asyncio.sleep(1)
    assert changes == [(1.0, True), (1.03, False)]


@pytest.mark.parametrize("seed", range(10))
async def test_bounce_makes_neither_a_second_press_nor_a_second_release(seed: int) -> None:
    pins = virtual_pins()
    changes = changes_of(Contact(PIN, pins=pins))
    switch = VirtualContact(pins.line(PIN), pins.ground, rng=Random(seed), bounce_s=0.02)
    await asyncio.sleep(1)
    switch.press()
    await asyncio.sleep(0.08)
    switch.release()
    await asyncio.sleep(1)
    assert changes == [(1.0, True), (1.08, False)]
    assert len(pins.line(PIN).timeline) > 6, "it bounced"


async def test_a_different_level_after_settling_is_a_change_and_settles_again() -> None:
    pins = virtual_pins()
    changes = changes_of(Contact(PIN, pins=pins))
    for level in (False, None, False, None):
        pins.line(PIN).drive(level)
        await asyncio.sleep(0.021)
    pins.line(PIN).drive(False)
    await asyncio.sleep(1)
    assert changes == [(0.0, True), (0.03, False), (0.06, True)]


async def test_the_next_press_after_a_lost_edge_is_noticed() -> None:
    pins = virtual_pins()
    changes = changes_of(Contact(PIN, pins=pins))
    pins.line(PIN).drive(False)
    await asyncio.sleep(0.02)
    pins.pin(PIN).edges = "none"  # the kernel's queue of edges overflows
    pins.line(PIN).drive(None)
    pins.pin(PIN).edges = "both"
    await asyncio.sleep(1)
    pins.line(PIN).drive(False)
    await asyncio.sleep(1)
    assert changes == [(0.0, True), (0.03, False), (1.02, True)]


async def test_a_contact_that_is_held_at_the_start_is_closed_even_if_it_still_bounces() -> None:
    pins = virtual_pins()
    pins.line(PIN).drive(False)
    lever = Lever(PIN, pins=pins)
    assert lever.is_closed
    changes = changes_of(lever)
    for level in (None, False):
        await asyncio.sleep(0.001)
        pins.line(PIN).drive(level)
    await lever.pulled_back()
    assert changes == []
    pins.line(PIN).drive(None)
    await lever.released()
    assert not lever.is_closed


@pytest.mark.parametrize(("before", "after", "wait"), [(None, False, Lever.pulled_back), (False, None, Lever.released)])
async def test_a_lever_ignores_glitches(
    before: bool | None, after: bool | None, wait: Callable[[Lever], Awaitable[None]]
) -> None:
    pins = virtual_pins()
    pins.line(PIN).drive(before)
    moved = asyncio.ensure_future(wait(Lever(PIN, pins=pins)))
    await asyncio.sleep(1)
    for glitch_s in (0.0001, 0.01, 0.045):
        pins.line(PIN).drive(after)
        await asyncio.sleep(glitch_s)
        pins.line(PIN).drive(before)
        await asyncio.sleep(1 - glitch_s)
    pins.line(PIN).drive(after)
    await moved
    assert now() == pytest.approx(4.05)


async def test_a_held_button_must_be_released_before_it_counts_as_pressed() -> None:
    pins = virtual_pins()
    button = Button(PIN, pins=pins)
    await button.opened()
    pins.line(PIN).drive(False)
    await button.closed()
    await button.closed()
    assert now() == 0
    pressed = asyncio.ensure_future(button.pressed())
    for level in (False, None):
        pins.line(PIN).drive(level)
        await asyncio.sleep(5)
        assert not pressed.done()
    pins.line(PIN).drive(False)
    await pressed


async def test_after_close_nothing_is_reported_and_the_pin_is_free() -> None:
    pins = virtual_pins()
    contact = Contact(PIN, pins=pins)
    pins.line(PIN).drive(False)
    await contact.closed()
    changes = changes_of(contact)
    pins.line(PIN).drive(None)
    contact.close()
    contact.close()
    await asyncio.sleep(1)
    assert changes == []
    LED(PIN, pin_factory=pins).close()
