import asyncio
import time
from collections.abc import Awaitable, Callable
from random import Random
from threading import Thread

import pytest
from gpiozero import LED
from gpiozero.pins.mock import MockFactory

from reboard.devices.contact import NOISY_S, Button, Contact, Lever
from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.contact import VirtualContact
from tests.virtual import Recorder, now

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


@pytest.mark.parametrize("length_s", [1e-6, 2e-5, 0.001, 0.01, 0.02])
async def test_a_spike_is_neither_a_press_nor_a_release(length_s: float) -> None:
    pins = virtual_pins()
    changes = changes_of(Contact(PIN, pins=pins))
    for held in (False, True):
        pins.line(PIN).drive(False if held else None)
        await asyncio.sleep(1)
        for _ in range(10):
            pins.line(PIN).drive(None if held else False)
            await asyncio.sleep(length_s)
            pins.line(PIN).drive(False if held else None)
            await asyncio.sleep(0.05)
    assert [closed for _, closed in changes] == [True]


async def test_a_press_counts_after_the_debounce_time() -> None:
    pins = virtual_pins()
    changes = changes_of(Contact(PIN, pins=pins))
    for closed in (True, False, True, False):  # the fastest presses
        pins.line(PIN).drive(False if closed else None)
        await asyncio.sleep(0.03)
    assert changes == [(0.022, True), (0.052, False), (0.082, True), (0.112, False)]


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
    assert [closed for _, closed in changes] == [True, False]
    (closed_at, _), (opened_at, _) = changes
    assert 1.022 <= closed_at <= 1.02 + NOISY_S
    assert opened_at == pytest.approx(1.112, abs=0.01)
    assert len(pins.line(PIN).timeline) > 6, "it bounced"


async def test_a_burst_of_sparks_delays_neither_a_press_nor_a_release() -> None:
    pins = virtual_pins()
    contact = Contact(PIN, pins=pins)
    changes, line, chance = changes_of(contact), pins.line(PIN), Random(1)
    held = False
    for time_ms in range(3000):
        if time_ms % 1000 == 500:
            held = not held
        for is_held in (not held, held):  # a spark of 20 µs to the other level
            line.drive(False if is_held else None)
            await asyncio.sleep(20e-6)
        await asyncio.sleep(0.001 - 40e-6 + chance.uniform(-0.0005, 0.0005))
    assert [closed for _, closed in changes] == [True, False, True]
    assert [moved_at % 1 for moved_at, _ in changes] == pytest.approx([0.52] * 3, abs=0.02)


@pytest.mark.parametrize("closed_s", [0.005, 0.01, 0.014])
async def test_hum_is_no_press_but_a_fault_until_it_ends(closed_s: float) -> None:
    pins = virtual_pins()
    emit = Recorder()
    contact = Contact(PIN, pins=pins, name="block's button", emit=emit)
    changes = changes_of(contact)
    for _ in range(3600 * 50 // 60):
        pins.line(PIN).drive(False)
        await asyncio.sleep(closed_s)
        pins.line(PIN).drive(None)
        await asyncio.sleep(0.02 - closed_s)
    assert changes == []
    assert emit.names == ["fault"]
    assert emit.events[0][1]["part"] == "block's button"
    assert "opens and closes all the time" in str(emit.events[0][1]["cause"])
    await asyncio.sleep(1.1)
    assert emit.names == ["fault", "recovered"]
    pins.line(PIN).drive(False)
    await asyncio.sleep(1)
    assert contact.is_closed, "it works again"


@pytest.mark.parametrize("at_start", [False, True])
async def test_a_button_that_stays_closed_is_a_fault_until_it_opens(at_start: bool) -> None:
    pins = virtual_pins()
    emit = Recorder()
    pins.line(PIN).drive(False if at_start else None)
    button = Button(PIN, pins=pins, emit=emit)
    pins.line(PIN).drive(False)
    await asyncio.sleep(29.9)
    assert emit.names == []
    await asyncio.sleep(3600)
    assert emit.names == ["fault"]
    assert "closed for 30 s" in str(emit.events[0][1]["cause"])
    assert "GPIO17" in str(emit.events[0][1]["cause"])
    pins.line(PIN).drive(None)
    await button.opened()
    assert emit.names == ["fault", "recovered"]


async def test_a_lever_can_be_held_for_long() -> None:
    pins = virtual_pins()
    emit = Recorder()
    Lever(PIN, pins=pins, emit=emit)
    pins.line(PIN).drive(False)
    await asyncio.sleep(3600)
    assert emit.names == []


async def test_the_next_press_after_a_lost_edge_is_noticed() -> None:
    pins = virtual_pins()
    changes = changes_of(Contact(PIN, pins=pins))
    pins.line(PIN).drive(False)
    await asyncio.sleep(0.03)
    pins.pin(PIN).edges = "none"  # the kernel's queue of edges overflows
    pins.line(PIN).drive(None)
    pins.pin(PIN).edges = "both"
    await asyncio.sleep(1)
    pins.line(PIN).drive(False)
    await asyncio.sleep(1)
    assert changes == [(0.022, True), (0.066, False), (1.052, True)]


async def test_a_spike_whose_end_is_lost_is_no_press() -> None:
    pins = virtual_pins()
    changes = changes_of(Contact(PIN, pins=pins))
    pins.line(PIN).drive(False)
    await asyncio.sleep(0.001)
    pins.pin(PIN).edges = "none"
    pins.line(PIN).drive(None)
    pins.pin(PIN).edges = "both"
    await asyncio.sleep(1)
    assert changes == []


@pytest.mark.realtime
@pytest.mark.parametrize("closed_s", [0.002, 0.08])
async def test_a_busy_loop_loses_no_press_and_makes_none_of_a_spike(
    closed_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins = MockFactory()
    changes = changes_of(Contact(PIN, pins=pins))
    await asyncio.sleep(0)

    def press() -> None:
        at, pin = pins.ticks(), pins.pin(PIN)
        with monkeypatch.context() as patch:  # the kernel's times, however long the busy machine sleeps
            patch.setattr("gpiozero.pins.mock.monotonic", lambda: at)
            pin.drive_low()
            time.sleep(closed_s)
            patch.setattr("gpiozero.pins.mock.monotonic", lambda: at + closed_s)
            pin.drive_high()

    thread = Thread(target=press)
    thread.start()
    thread.join()  # the loop does not run
    await asyncio.sleep(0.2)
    assert [closed for _, closed in changes][:1] == ([True] if closed_s > 0.022 else [])


async def test_touched_returns_at_the_first_edge() -> None:
    pins = virtual_pins()
    lever = Lever(PIN, pins=pins)
    touched = asyncio.ensure_future(lever.touched())
    await asyncio.sleep(1)
    pins.line(PIN).drive(False)
    await asyncio.sleep(1e-6)
    assert touched.done()
    await lever.touched()
    pins.line(PIN).drive(None)
    await asyncio.sleep(1)
    assert not lever.is_closed


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
    assert now() == 0.022
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


async def test_hum_swallows_no_press_and_stays_a_fault_while_players_press() -> None:
    pins = virtual_pins()
    emit = Recorder()
    finger = VirtualContact(pins.line(PIN), pins.ground, rng=Random(1))
    changes = changes_of(Contact(PIN, pins=pins, emit=emit))
    finger.faults()["hum"](True)
    for _ in range(60):
        finger.press()
        await asyncio.sleep(0.1)
        finger.release()
        await asyncio.sleep(0.9)
    assert [closed for _, closed in changes] == [True, False] * 60
    assert emit.names == ["fault"]
    assert "opens and closes all the time" in str(emit.events[0][1]["cause"])


@pytest.mark.parametrize("seed", range(3))
async def test_sparks_during_hum_press_nothing(seed: int) -> None:
    pins = virtual_pins()
    emit = Recorder()
    finger = VirtualContact(pins.line(PIN), pins.ground, rng=Random(seed))
    contact = Contact(PIN, pins=pins, emit=emit)
    changes = changes_of(contact)
    for noise in ("hum", "spike"):
        finger.faults()[noise](True)
    await asyncio.sleep(40)
    assert changes == []
    assert emit.names == ["fault"]
