from __future__ import annotations

import asyncio
import errno
import threading
import time
from collections.abc import Awaitable, Callable
from typing import cast

import pytest

from reboard.board import Board, I2cBus
from reboard.parts.display import Display
from reboard_sim.i2c import VirtualI2cBus
from reboard_sim.lcd import Hd44780, Pcf8574
from reboard_sim.virtual_time import run

ADDRESS = 0x27


class Bench:
    """A board with a display module on I²C bus 1, and a display that knows only the board."""

    def __init__(self) -> None:
        self.lcd = Hd44780()
        self.chip = Pcf8574(self.lcd)
        self.bus = VirtualI2cBus(time.monotonic)
        self.bus.attach(ADDRESS, self.chip)
        self.trouble: Exception | None = None
        self.told: list[tuple[float, str, object]] = []
        self._loop = asyncio.get_running_loop()

    def open_i2c(self, bus: int) -> I2cBus:
        if self.trouble:
            raise self.trouble
        return self.bus

    def make_display(self) -> Display:
        return Display(cast(Board, self), 1, ADDRESS, emit=self.emit)

    def emit(self, name: str, /, **fields: object) -> None:
        self.told.append((round(self._loop.time(), 3), name, fields.get("lines", fields.get("cause"))))

    @property
    def words(self) -> list[str]:
        return [what for _, what, _ in self.told]

    @property
    def text(self) -> list[str]:
        return [line.rstrip() for line in self.lcd.lines()]


def at_the_bench(story: Callable[[Bench, Display], Awaitable[None]], trouble: Exception | None = None) -> Bench:
    async def main() -> Bench:
        bench = Bench()
        bench.trouble = trouble
        display = bench.make_display()
        try:
            await story(bench, display)
        finally:
            display.close()
            display.close()
        return bench

    bench = cast(Bench, run(main))
    for thread in threading.enumerate():
        if thread.name.startswith("display"):
            thread.join(5)
    return bench


def test_what_is_shown_can_be_read() -> None:
    async def story(bench: Bench, display: Display) -> None:
        display.show("+1 16.5M", "Grüße → 5¥")
        await asyncio.sleep(0.1)
        assert bench.text == ["+1 16.5M", "Grüβe → 5¥"]
        assert bench.chip.backlight

    at_the_bench(story)


def test_a_line_of_seventeen_characters_is_refused_and_nothing_changes() -> None:
    async def story(bench: Bench, display: Display) -> None:
        display.show("one", "two")
        with pytest.raises(ValueError, match="16 characters"):
            display.show("one", "0123456789ABCDEFG")
        await asyncio.sleep(0.1)
        assert bench.text == ["one", "two"]

    at_the_bench(story)


def test_the_event_comes_when_the_glass_has_it() -> None:
    async def story(bench: Bench, display: Display) -> None:
        await asyncio.sleep(1)
        read_at_event: list[list[str]] = []
        emit = bench.emit

        def note(name: str, /, **fields: object) -> None:
            read_at_event.append(bench.text)
            emit(name, **fields)

        display._emit = note
        display.show("one", "two")
        assert read_at_event == []
        await asyncio.sleep(0.1)
        assert read_at_event == [["one", "two"]]

    bench = at_the_bench(story)
    assert [lines for _, _, lines in bench.told] == [["", ""], ["one", "two"]]


class Held:
    """A display module that stops the thread that writes to it, once, until it is let go."""

    def __init__(self, bench: Bench) -> None:
        self._loop = asyncio.get_running_loop()
        self._writing, self._go_on = asyncio.Event(), threading.Event()
        self._on_change = bench.lcd.on_change
        self._on_change.append(self._hold)

    def _hold(self) -> None:
        self._on_change.remove(self._hold)
        self._loop.call_soon_threadsafe(self._writing.set)
        self.was_let_go = self._go_on.wait(5)

    async def begun(self) -> None:
        await self._writing.wait()

    def let_go(self) -> None:
        self._go_on.set()


def test_of_many_pictures_asked_for_during_a_write_only_the_last_is_written() -> None:
    async def story(bench: Bench, display: Display) -> None:
        await asyncio.sleep(1)
        held = Held(bench)
        display.show("0", "")
        await held.begun()
        for n in range(1, 100):
            display.show(str(n), "")
        held.let_go()
        await asyncio.sleep(1)

    bench = at_the_bench(story)
    assert [lines for _, _, lines in bench.told] == [["", ""], ["0", ""], ["99", ""]]


def test_the_loop_goes_on_while_the_display_hangs_and_closing_does_not_wait_for_it() -> None:
    async def story(bench: Bench, display: Display) -> None:
        await asyncio.sleep(1)
        held = Held(bench)
        display.show("one", "two")
        await held.begun()
        display.sleep()
        display.wake()
        display.close()
        held.let_go()
        helds.append(held)

    helds: list[Held] = []
    assert not at_the_bench(story).lcd.is_on
    assert helds[0].was_let_go, "somebody waited for the display"


def test_asleep_it_is_dark_and_awake_it_shows_the_latest() -> None:
    async def story(bench: Bench, display: Display) -> None:
        display.show("one", "two")
        await asyncio.sleep(1)
        display.sleep()
        await asyncio.sleep(1)
        assert not bench.chip.backlight
        assert not bench.lcd.is_on
        display.show("three", "two")
        await asyncio.sleep(1)
        assert not bench.chip.backlight
        display.wake()
        await asyncio.sleep(1)
        assert bench.chip.backlight
        assert bench.text == ["three", "two"]

    bench = at_the_bench(story)
    assert [t for t, word, _ in bench.told if word == "display"] == [0.05, 2], "of lines, not of light"


def test_each_time_a_display_is_pulled_out_is_a_fault_of_its_own() -> None:
    async def story(bench: Bench, display: Display) -> None:
        await asyncio.sleep(1)
        for line in ("one", "two"):
            bench.bus.unplug(ADDRESS)
            display.show(line, "")
            await asyncio.sleep(0.5)
            bench.bus.plug(ADDRESS)
            await asyncio.sleep(1)

    outage = ["fault", "recovered", "display"]
    assert at_the_bench(story).words == ["display", *outage, *outage]


def test_a_display_pulled_out_is_one_fault_and_shows_the_latest_when_it_is_back() -> None:
    async def story(bench: Bench, display: Display) -> None:
        display.show("one", "two")
        await asyncio.sleep(1)
        bench.bus.unplug(ADDRESS)
        for n in range(100):
            display.show(f"three {n}", "")
            await asyncio.sleep(1)
        bench.bus.plug(ADDRESS)
        await asyncio.sleep(31)
        assert bench.text == ["three 99", ""]

    bench = at_the_bench(story)
    assert bench.words == ["display", "fault", "recovered", "display"]
    assert bench.told[1][:2] == (1, "fault")
    assert "nothing answers at 0x27 on I²C bus 1" in str(bench.told[1][2])
    assert bench.told[-1][2] == ["three 99", ""]


def test_a_missing_display_is_tried_after_growing_pauses_up_to_half_a_minute() -> None:
    async def story(bench: Bench, display: Display) -> None:
        bench.bus.unplug(ADDRESS)
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0.5)  # nobody looks at the very instant at which it is tried
        while loop.time() < 200:
            before = bench.bus.writes
            await asyncio.sleep(1)
            if bench.bus.writes > before:
                tried_at.append(loop.time() - 0.5)

    tried_at: list[float] = []
    bench = at_the_bench(story)
    assert tried_at == [1, 3, 7, 15, 31, 61, 91, 121, 151, 181]
    assert bench.words == ["fault"]


def test_the_controller_is_given_time_to_start_before_it_is_spoken_to() -> None:
    async def story(bench: Bench, display: Display) -> None:
        bench.bus.unplug(ADDRESS)
        await asyncio.sleep(0.5)
        bench.bus.plug(ADDRESS)
        changed_at: list[float] = []
        bench.lcd.on_change.append(lambda: changed_at.append(asyncio_time()))
        asyncio_time = asyncio.get_running_loop().time
        await asyncio.sleep(1)
        assert changed_at[0] == pytest.approx(1.05)

    at_the_bench(story)


def test_a_display_that_failed_asleep_comes_back_asleep() -> None:
    async def story(bench: Bench, display: Display) -> None:
        display.sleep()
        await asyncio.sleep(1)
        bench.bus.unplug(ADDRESS)
        display.show("one", "two")
        await asyncio.sleep(1.5)
        bench.bus.plug(ADDRESS)
        await asyncio.sleep(5)
        assert bench.words[-2:] == ["recovered", "display"]
        assert not bench.chip.backlight
        assert not bench.lcd.is_on

    at_the_bench(story)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError(errno.ENOENT, "no such file"), "there is no I²C bus 1: switch I²C on"),
        (PermissionError(errno.EACCES, "denied"), "group i2c"),
        (OSError(121, "Remote I/O error"), "look at the display's power, at SDA and SCL, and at its address"),
        (TimeoutError(errno.ETIMEDOUT, "timed out"), "I²C bus 1 is stuck"),
        (OSError(errno.EIO, "Input/output error"), "HD44780 at 0x27 on I²C bus 1 fails: Input/output error"),
        (OSError("odd"), "fails: odd"),
    ],
)
def test_a_fault_says_what_to_look_at(error: OSError, words: str) -> None:
    async def story(bench: Bench, display: Display) -> None:
        await asyncio.sleep(10)
        bench.trouble = None
        await asyncio.sleep(10)

    bench = at_the_bench(story, trouble=error)
    assert bench.words == ["fault", "recovered", "display"]
    assert words in str(bench.told[0][2])


def test_whatever_else_goes_wrong_is_a_fault_told_whole_in_the_log_and_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story(bench: Bench, display: Display) -> None:
        await asyncio.sleep(10)
        bench.trouble = None
        display.show("one", "two")
        await asyncio.sleep(10)
        assert bench.text == ["one", "two"]

    bench = at_the_bench(story, trouble=ValueError("no such character"))
    assert bench.words == ["fault", "recovered", "display"]
    assert "HD44780 at 0x27 on I²C bus 1 fails: ValueError('no such character')" in str(bench.told[0][2])
    assert caplog.text.count("Traceback") == 1


def test_closed_it_is_empty_and_dark() -> None:
    async def story(bench: Bench, display: Display) -> None:
        display.show("one", "two")
        await asyncio.sleep(1)

    bench = at_the_bench(story)
    assert not bench.chip.backlight
    assert not bench.lcd.is_on


def test_closed_before_it_wrote_anything_it_writes_nothing() -> None:
    async def story(bench: Bench, display: Display) -> None:
        display.show("one", "two")

    assert at_the_bench(story).bus.writes == 0


def test_closing_a_display_that_is_gone_is_no_error() -> None:
    async def story(bench: Bench, display: Display) -> None:
        await asyncio.sleep(1)
        bench.bus.unplug(ADDRESS)

    assert at_the_bench(story).words == ["display"]


def test_it_says_what_and_where_it_is() -> None:
    async def story(bench: Bench, display: Display) -> None:
        assert display.description == "HD44780 at 0x27 on I²C bus 1"

    at_the_bench(story)
