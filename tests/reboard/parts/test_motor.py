import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from gpiozero import LED
from gpiozero.pins.mock import MockFactory, MockPWMPin

from reboard.board import REPORT_EVERY_S
from reboard.dance import LONGEST_S, Step
from reboard.errors import PartError
from reboard.parts.motor import RAMP_S, Motor
from reboard_sim import virtual_time
from reboard_sim.line import Line
from reboard_sim.motor import VirtualMotor
from reboard_sim.pins import VirtualPin, VirtualPins

PIN = 18
FULL = (Step(1.0, 10.0),)
UNEVEN = (Step(1.0, 0.9), Step(0.6, 0.5), Step(0.85, 0.7))


class Bench:
    """A motor on a virtual Pi, and all that can be seen of it."""

    def __init__(self, longest_s: float = 20.0) -> None:
        self.loop = asyncio.get_running_loop()
        self.pins = VirtualPins(self.loop.time)
        self.line: Line = self.pins.line(PIN)
        self.line.pull_outside = "down"
        self.virtual = VirtualMotor(self.line)
        self.told: list[tuple[float, object]] = []
        self.reported: list[tuple[float, bool]] = []
        self.motor = Motor(PIN, pins=self.pins, longest_s=longest_s, emit=self.emit, report=self.report)

    def emit(self, name: str, /, **fields: object) -> None:
        assert name == "motor"
        self.told.append((round(self.loop.time(), 6), fields["level"]))

    def report(self, is_on: bool) -> None:
        assert is_on or not self.line.duty
        self.reported.append((self.loop.time(), is_on))

    @property
    def on_s(self) -> list[tuple[float, float | None]]:
        """From when to when the motor was on."""
        return [(round(a, 6), b and round(b, 6)) for a, b in self.virtual.on_intervals]


def on_a_bench(test: Callable[[Bench], Awaitable[None]]) -> Callable[[], None]:
    """Run *test* in virtual time; no callback may fail meanwhile."""

    def run() -> None:
        async def main() -> None:
            failures: list[object] = []
            asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
            await test(Bench())
            await asyncio.sleep(200)
            assert failures == []

        virtual_time.run(main)

    run.__name__ = getattr(test, "__name__", "run")
    return run


def dances_going_on() -> int:
    """How many patterns are being followed."""
    return sum(task.get_name() == "motor" for task in asyncio.all_tasks())


@on_a_bench
async def test_it_is_off_until_it_is_asked_to_dance(bench: Bench) -> None:
    await asyncio.sleep(100)
    assert bench.line.is_output
    assert bench.on_s == []
    assert bench.told == []


@on_a_bench
async def test_it_dances_beside_the_body_and_not_after(bench: Bench) -> None:
    async with bench.motor.dancing(FULL):
        await asyncio.sleep(5)
        assert bench.motor.level == bench.line.duty == 1
    assert bench.motor.level == bench.line.duty == 0
    await asyncio.sleep(100)
    assert bench.on_s == [(0, 5)]
    assert bench.told == [(0, 1.0), (5, 0.0)]


@on_a_bench
async def test_it_starts_softly_and_never_jumps_but_to_nothing(bench: Bench) -> None:
    async with bench.motor.dancing(UNEVEN):
        await asyncio.sleep(RAMP_S / 2)
        assert 0.4 <= bench.line.duty <= 0.6
        await asyncio.sleep(RAMP_S / 2)
        assert bench.line.duty == 1
        await asyncio.sleep(12)
    duties = [duty for _, duty in bench.line.timeline]
    assert max(abs(b - a) for a, b in pairwise(duties[:-1])) <= 0.05 + 1e-9


@on_a_bench
async def test_it_tells_where_it_heads_not_every_step_of_the_ramp(bench: Bench) -> None:
    async with bench.motor.dancing((Step(0.5, 1.0), Step(1.0, 2.0))):
        await asyncio.sleep(4.5)
    assert bench.told == [(0, 0.5), (1, 1.0), (3, 0.5), (4, 1.0), (4.5, 0.0)]


@on_a_bench
async def test_between_two_levels_it_never_stands_still(bench: Bench) -> None:
    async with bench.motor.dancing(UNEVEN):
        await asyncio.sleep(13)
    assert bench.on_s == [(0, 13)]
    risen = [duty for t, duty in bench.line.timeline if RAMP_S <= t < 13]
    assert min(risen) >= 0.6 - 1e-9


@on_a_bench
async def test_an_exception_in_the_body_stops_it(bench: Bench) -> None:
    async def dance() -> None:
        async with bench.motor.dancing(FULL):
            await asyncio.sleep(1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await dance()
    assert bench.on_s == [(0, 1)]


@on_a_bench
async def test_a_cancelled_body_stops_it_in_the_same_instant(bench: Bench) -> None:
    async def dance() -> None:
        async with bench.motor.dancing(FULL):
            await asyncio.sleep(1000)

    task = asyncio.ensure_future(dance())
    await asyncio.sleep(2)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert bench.on_s == [(0, 2)]


@on_a_bench
async def test_a_body_that_ends_at_once_never_starts_it(bench: Bench) -> None:
    async with bench.motor.dancing(FULL):
        pass
    await asyncio.sleep(1)
    assert bench.on_s == []
    assert bench.told == []


@on_a_bench
async def test_the_limit_stops_it_though_the_body_never_ends(bench: Bench) -> None:
    async def dance_for_ever() -> None:
        async with bench.motor.dancing(UNEVEN):
            await asyncio.Event().wait()

    task = asyncio.ensure_future(dance_for_ever())
    await asyncio.sleep(100)
    assert bench.on_s == [(0, 20)]
    assert bench.told[-1] == (20, 0.0)
    assert not dances_going_on()
    with pytest.raises(RuntimeError, match="dances already"):
        async with bench.motor.dancing(FULL):
            pass
    task.cancel()
    await asyncio.wait([task])


def test_the_limit_stops_it_though_the_pattern_takes_no_cancelling(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        bench = Bench(longest_s=3)

        async def deaf(_pattern: object) -> None:
            while bench.loop.time() < 50:
                bench.motor._write(1)
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(0.5)

        monkeypatch.setattr(bench.motor, "_follow", deaf)
        async with bench.motor.dancing(FULL):
            await asyncio.sleep(60)
        assert bench.on_s == [(0, 3)]

    virtual_time.run(main)


@on_a_bench
async def test_two_dances_never_run_at_once(bench: Bench) -> None:
    async with bench.motor.dancing(FULL):
        await asyncio.sleep(1)
        with pytest.raises(RuntimeError, match="dances already"):
            async with bench.motor.dancing(FULL):
                pass
        await asyncio.sleep(1)
        assert bench.motor.level == 1
    async with bench.motor.dancing(FULL):
        await asyncio.sleep(1)
    assert bench.on_s == [(0, 2), (2, 3)]


@on_a_bench
async def test_the_limit_of_one_dance_does_not_reach_into_the_next(bench: Bench) -> None:
    for seconds in (15, 15):
        async with bench.motor.dancing(FULL):
            await asyncio.sleep(seconds)
    assert bench.on_s == [(0, 15), (15, 30)]


@on_a_bench
async def test_closing_stops_a_dance_and_frees_the_pin(bench: Bench) -> None:
    async with bench.motor.dancing(UNEVEN):
        await asyncio.sleep(1)
        bench.motor.close()
        bench.motor.close()
        assert bench.line.duty == 0
        await asyncio.sleep(5)
        assert not dances_going_on()
    assert bench.on_s == [(0, 1)]
    assert bench.told[-1] == (1, 0.0)
    assert not bench.line.is_output
    LED(PIN, pin_factory=bench.pins).close()


def broken_at(monkeypatch: pytest.MonkeyPatch, is_broken: Callable[[float], bool]) -> None:
    """Let writes of those levels fail for which *is_broken* is true."""
    write = VirtualPin._set_state

    def fail(pin: VirtualPin, value: float) -> None:
        if is_broken(value):
            raise OSError("the pin library hiccups")
        write(pin, value)

    monkeypatch.setattr(VirtualPin, "_set_state", fail)


def run_broken(
    monkeypatch: pytest.MonkeyPatch,
    is_broken: Callable[[float], bool],
    main: Callable[[Bench], Coroutine[Any, Any, None]],
) -> None:
    async def with_bench() -> None:
        bench = Bench()
        broken_at(monkeypatch, is_broken)
        await main(bench)

    virtual_time.run(with_bench)


def test_a_passing_error_while_stopping_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hiccups = iter([True])

    async def main(bench: Bench) -> None:
        async with bench.motor.dancing(FULL):
            await asyncio.sleep(1)
        assert bench.on_s == [(0, 1)]
        assert "once more" in caplog.text

    run_broken(monkeypatch, lambda level: level == 0 and next(hiccups, False), main)


def test_a_pin_that_cannot_be_written_low_is_let_go_and_named(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def main(bench: Bench) -> None:
        with pytest.raises(PartError, match=r"motor on GPIO18 .* hiccups"):
            async with bench.motor.dancing(FULL):
                await asyncio.sleep(1)
        assert not bench.line.is_output
        assert bench.on_s == [(0, 1)]
        [error] = [record for record in caplog.records if record.levelno == logging.ERROR]
        assert "GPIO18" in error.getMessage()
        assert "hiccups" in error.getMessage()

    run_broken(monkeypatch, lambda level: level == 0, main)


def test_an_error_during_the_dance_stops_it_and_is_raised_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(bench: Bench) -> None:
        with pytest.raises(PartError, match=r"motor on GPIO18 .* hiccups"):
            async with bench.motor.dancing(FULL):
                await asyncio.sleep(5)
        assert bench.on_s == [(0, 0.2)]
        assert bench.told == [(0, 1.0), (0.2, 0.0)]

    run_broken(monkeypatch, lambda level: level > 0.5, main)


def test_whoever_waits_for_it_learns_at_once_that_the_dance_ended_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(bench: Bench) -> None:
        with pytest.raises(PartError):
            async with bench.motor.dancing(FULL):
                await bench.motor.stopped()
        assert bench.loop.time() == pytest.approx(0.2)
        assert bench.motor.level == 0

    run_broken(monkeypatch, lambda level: level > 0.5, main)


@on_a_bench
async def test_its_limit_is_an_end_that_can_be_waited_for(bench: Bench) -> None:
    async with bench.motor.dancing(FULL):
        await bench.motor.stopped()
        assert bench.loop.time() == 20


@on_a_bench
async def test_its_guard_hears_of_it_before_it_goes_on_and_every_half_second_until_it_is_off(bench: Bench) -> None:
    bench.line.on_change.append(lambda _, duty: None if bench.reported[-1][1] else pytest.fail("unguarded"))
    async with bench.motor.dancing((Step(0.7, 3.3), Step(1.0, 0.02))):
        await asyncio.sleep(10)
    assert max(b - a for (a, _), (b, _) in pairwise(bench.reported)) <= REPORT_EVERY_S + 1e-9
    assert bench.reported[-1] == (10, False)
    assert {is_on for _, is_on in bench.reported[:-1]} == {True}


@on_a_bench
async def test_what_makes_no_sense_is_refused(bench: Bench) -> None:
    for longest_s in (0, -1, LONGEST_S + 1, float("nan")):
        with pytest.raises(ValueError, match="longest_s"):
            Motor(12, pins=bench.pins, longest_s=longest_s)
    for level, seconds in ((1.1, 1), (-0.1, 1), (float("nan"), 1), (1, 0), (1, 1000)):
        with pytest.raises(ValueError, match=r"level|step"):
            Step(level, seconds)
    with pytest.raises(ValueError, match="at least one step"):
        async with bench.motor.dancing(()):
            pass
    with pytest.raises(PartError, match=r"GPIO18 .* in use"):
        Motor(PIN, pins=bench.pins, longest_s=1)


@on_a_bench
async def test_its_repr_shows_its_state(bench: Bench) -> None:
    assert repr(bench.motor) == "<reboard.Motor object on pin GPIO18, level=0.00>"


def test_it_works_on_gpiozeros_mock_pins() -> None:
    async def main() -> None:
        pins = MockFactory(pin_class=MockPWMPin)
        motor = Motor(PIN, pins=pins, longest_s=20)
        assert pins.pin(PIN).state == 0
        async with motor.dancing(FULL):
            await asyncio.sleep(1)
            assert pins.pin(PIN).state == 1
        assert pins.pin(PIN).state == 0
        motor.close()

    virtual_time.run(main)


def test_the_limit_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        bench = Bench(longest_s=2)
        async with bench.motor.dancing(FULL):
            await asyncio.sleep(3)

    with caplog.at_level(logging.ERROR):
        virtual_time.run(main)
    assert "2 s, its limit" in caplog.text


@on_a_bench
async def test_at_rest_it_has_no_pulses_for_which_somebody_would_have_to_wake_up(bench: Bench) -> None:
    pin = bench.pins.pin(PIN)
    assert pin.frequency is None
    async with bench.motor.dancing(FULL):
        await asyncio.sleep(1)
        assert pin.frequency
    assert pin.frequency is None
    assert pin.state == 0
