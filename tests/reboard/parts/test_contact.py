import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from gpiozero import LED
from gpiozero.pins.mock import MockFactory

from reboard.errors import PartError
from reboard.parts.contact import Button, Contact, Lever
from reboard_sim import virtual_time
from reboard_sim.pins import VirtualPins
from reboard_sim.switch import Switch

PIN = 17


def on_a_pi(test: Callable[[VirtualPins], Awaitable[None]]) -> Callable[[], None]:
    """Run *test* with virtual pins, in virtual time; no callback may fail meanwhile."""

    def run() -> None:
        async def main() -> None:
            failures: list[object] = []
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: failures.append(context))
            await test(VirtualPins(loop.time))
            await asyncio.sleep(10)
            assert failures == []

        virtual_time.run(main)

    run.__name__ = getattr(test, "__name__", "run")
    return run


def told_by(contact: Contact) -> list[tuple[float, bool]]:
    """The changes that *contact* tells whoever waits for them from now on, with their times."""
    told: list[tuple[float, bool]] = []
    loop = asyncio.get_running_loop()

    async def listen() -> None:
        while True:
            await (contact.opened() if contact.is_closed else contact.closed())
            told.append((round(loop.time(), 6), contact.is_closed))

    listening.add(loop.create_task(listen()))
    return told


listening: set[asyncio.Task[None]] = set()


@on_a_pi
async def test_the_first_edge_acts_at_once(pins: VirtualPins) -> None:
    contact = Contact(PIN, pins=pins)
    told = told_by(contact)
    await asyncio.sleep(1)
    pins.line(PIN).drive(False)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert told == [(1.0, True)]
    assert contact.is_closed


@on_a_pi
async def test_a_glitch_of_one_millisecond_is_one_press(pins: VirtualPins) -> None:
    contact = Contact(PIN, pins=pins, settle_s=0.03)
    told = told_by(contact)
    await asyncio.sleep(1)
    pins.line(PIN).drive(False)
    await asyncio.sleep(0.001)
    pins.line(PIN).drive(None)
    await asyncio.sleep(1)
    assert told == [(1.0, True), (1.03, False)]


@pytest.mark.parametrize("seed", range(30))
def test_a_bouncing_press_is_one_press_and_a_bouncing_release_one_release(seed: int) -> None:
    async def main() -> None:
        pins = VirtualPins(asyncio.get_running_loop().time)
        contact = Contact(PIN, pins=pins)
        told = told_by(contact)
        switch = Switch(pins.line(PIN), pins.ground, rng=Random(seed), bounce_s=0.02)
        await asyncio.sleep(1)
        switch.close()
        await asyncio.sleep(0.08)
        switch.open()
        await asyncio.sleep(1)
        assert told == [(1.0, True), (1.08, False)]
        assert len(pins.line(PIN).timeline) > 6

    virtual_time.run(main)


@on_a_pi
async def test_what_settled_differently_is_told_and_settles_anew(pins: VirtualPins) -> None:
    contact = Contact(PIN, pins=pins, settle_s=0.03)
    told = told_by(contact)
    for level in (False, None, False, None):
        pins.line(PIN).drive(level)
        await asyncio.sleep(0.021)
    pins.line(PIN).drive(False)
    await asyncio.sleep(1)
    assert told == [(0.0, True), (0.03, False), (0.06, True)]


@on_a_pi
async def test_after_a_lost_edge_the_next_press_is_still_heard(pins: VirtualPins) -> None:
    contact = Contact(PIN, pins=pins)
    told = told_by(contact)
    pins.line(PIN).drive(False)
    await asyncio.sleep(0.02)
    pins.pin(PIN).edges = "none"  # the kernel's queue of edges runs over
    pins.line(PIN).drive(None)
    pins.pin(PIN).edges = "both"
    await asyncio.sleep(1)
    assert told == [(0.0, True), (0.03, False)]
    pins.line(PIN).drive(False)
    await asyncio.sleep(1)
    assert told[2:] == [(1.02, True)]


@on_a_pi
async def test_one_that_is_held_at_the_start_is_closed_at_the_start(pins: VirtualPins) -> None:
    pins.line(PIN).drive(False)
    lever = Lever(PIN, pins=pins)
    assert lever.is_closed
    await lever.pulled_back()
    pins.line(PIN).drive(None)
    await lever.let_go()
    assert not lever.is_closed


@on_a_pi
async def test_a_lever_is_pulled_back_when_it_has_stayed_there_longer_than_any_glitch(pins: VirtualPins) -> None:
    lever = Lever(PIN, pins=pins)
    pulled = asyncio.ensure_future(lever.pulled_back())
    for glitch_s in (0.0001, 0.01, 0.045):
        pins.line(PIN).drive(False)
        await asyncio.sleep(glitch_s)
        pins.line(PIN).drive(None)
        await asyncio.sleep(1 - glitch_s)
    pins.line(PIN).drive(False)
    await pulled
    assert asyncio.get_running_loop().time() == pytest.approx(3.05)


@on_a_pi
async def test_a_lever_is_let_go_when_it_has_been_open_longer_than_any_glitch(pins: VirtualPins) -> None:
    pins.line(PIN).drive(False)
    lever = Lever(PIN, pins=pins)
    let_go = asyncio.ensure_future(lever.let_go())
    await asyncio.sleep(1)
    for glitch_s in (0.0001, 0.01, 0.045):
        pins.line(PIN).drive(None)
        await asyncio.sleep(glitch_s)
        pins.line(PIN).drive(False)
        await asyncio.sleep(1 - glitch_s)
    pins.line(PIN).drive(None)
    await let_go
    assert asyncio.get_running_loop().time() == pytest.approx(4.05)


@on_a_pi
async def test_one_that_bounces_while_the_table_starts_is_not_let_go(pins: VirtualPins) -> None:
    pins.line(PIN).drive(False)
    lever = Lever(PIN, pins=pins)
    told = told_by(lever)
    await asyncio.sleep(0.001)
    pins.line(PIN).drive(None)
    await asyncio.sleep(0.001)
    pins.line(PIN).drive(False)
    await asyncio.sleep(1)
    assert told == []


@on_a_pi
async def test_waiting_for_a_level_that_is_so_returns_at_once(pins: VirtualPins) -> None:
    contact = Contact(PIN, pins=pins)
    before = asyncio.get_running_loop().time()
    await contact.opened()
    pins.line(PIN).drive(False)
    await contact.closed()
    await contact.closed()
    assert asyncio.get_running_loop().time() == before


@on_a_pi
async def test_a_held_button_has_to_be_let_go_before_it_is_pressed_again(pins: VirtualPins) -> None:
    button = Button(PIN, pins=pins)
    pins.line(PIN).drive(False)
    await button.closed()
    pressed = asyncio.ensure_future(button.pressed())
    await asyncio.sleep(5)
    assert not pressed.done()
    pins.line(PIN).drive(None)
    await asyncio.sleep(1)
    assert not pressed.done()
    pins.line(PIN).drive(False)
    await pressed


@on_a_pi
async def test_a_press_too_short_for_the_waiter_to_see_is_not_missed(pins: VirtualPins) -> None:
    button = Button(PIN, pins=pins)
    pressed = asyncio.ensure_future(button.pressed())
    await asyncio.sleep(1)
    pins.line(PIN).drive(False)
    pins.line(PIN).drive(None)
    await pressed


@on_a_pi
async def test_several_can_wait_and_any_of_them_can_give_up(pins: VirtualPins) -> None:
    button = Button(PIN, pins=pins)
    waiters = [asyncio.ensure_future(button.pressed()) for _ in range(5)]
    await asyncio.sleep(1)
    waiters[1].cancel()
    await asyncio.sleep(1)
    pins.line(PIN).drive(False)
    waiters[3].cancel()
    await asyncio.sleep(1)
    assert [waiter.cancelled() for waiter in waiters] == [False, True, False, True, False]
    assert [waiter.done() for waiter in waiters] == [True] * 5
    assert not any(button._waiting.values())


@on_a_pi
async def test_a_waiter_cancelled_in_the_instant_of_the_press_is_cancelled(pins: VirtualPins) -> None:
    button = Button(PIN, pins=pins)
    waiter, other = (asyncio.ensure_future(button.pressed()) for _ in range(2))
    await asyncio.sleep(1)
    pins.line(PIN).drive(False)
    await asyncio.sleep(0)
    assert button.is_closed
    assert waiter.cancel(), "it was not told yet"
    await other
    await asyncio.sleep(0)
    assert waiter.cancelled()


@on_a_pi
async def test_a_contact_to_the_supply_closes_high(pins: VirtualPins) -> None:
    contact = Contact(PIN, pins=pins, pull_up=False)
    assert not contact.is_closed
    pins.line(PIN).drive(True)
    await contact.closed()


@on_a_pi
async def test_a_closed_contact_tells_nothing_and_frees_its_pin(pins: VirtualPins) -> None:
    contact = Contact(PIN, pins=pins)
    pins.line(PIN).drive(False)
    await contact.closed()
    told = told_by(contact)
    pins.line(PIN).drive(None)
    contact.close()
    contact.close()
    await asyncio.sleep(1)
    assert told == []
    pins.line(PIN).drive(None)
    LED(PIN, pin_factory=pins).close()


@on_a_pi
async def test_what_somebody_left_set_on_the_pin_is_no_hindrance(pins: VirtualPins) -> None:
    pins.pin(PIN).bounce = 5.0
    pins.pin(PIN).edges = "rising"
    contact = Contact(PIN, pins=pins)
    told = told_by(contact)
    for level in (False, None):
        pins.line(PIN).drive(level)
        await asyncio.sleep(1)
    assert told == [(0.0, True), (1.0, False)]


@on_a_pi
async def test_its_repr_shows_its_state(pins: VirtualPins) -> None:
    assert repr(Lever(PIN, pins=pins)) == "<reboard.Lever object on pin GPIO17, is_closed=False>"


@on_a_pi
async def test_a_pin_that_cannot_be_had_is_named(pins: VirtualPins) -> None:
    led = LED(PIN, pin_factory=pins)
    with pytest.raises(PartError, match=r"the left lever on GPIO17 .* in use"):
        Lever(PIN, pins=pins, name="left lever")
    with pytest.raises(PartError, match="button on GPIO99"):
        Button(99, pins=pins, name="button")
    led.close()


@on_a_pi
async def test_a_settle_time_out_of_range_is_refused(pins: VirtualPins) -> None:
    for settle_s in (0, -1, 2, float("nan")):
        with pytest.raises(ValueError, match="settle_s"):
            Contact(PIN, pins=pins, settle_s=settle_s)


def test_it_works_on_gpiozeros_mock_pins_with_edges_from_another_thread() -> None:
    async def main(thread: ThreadPoolExecutor) -> None:
        loop = asyncio.get_running_loop()
        loop.set_debug(True)  # notices who calls it from another thread
        pins = MockFactory()
        button = Button(PIN, pins=pins)
        told = told_by(button)
        pressed = asyncio.ensure_future(button.pressed())
        await asyncio.sleep(1)
        await loop.run_in_executor(thread, pins.pin(PIN).drive_low)
        await pressed
        await asyncio.sleep(1)
        await loop.run_in_executor(thread, pins.pin(PIN).drive_high)
        await asyncio.sleep(1)
        assert told == [(1.0, True), (2.0, False)]
        button.close()

    with ThreadPoolExecutor(1) as thread:
        virtual_time.run(lambda: main(thread))


def test_an_edge_after_the_loop_is_gone_is_nobodys_trouble() -> None:
    pins = MockFactory()

    async def main() -> Button:
        return Button(PIN, pins=pins)

    button = virtual_time.run(main)
    pins.pin(PIN).drive_low()
    button.close()
