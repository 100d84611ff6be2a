from __future__ import annotations

import asyncio
import errno
import string
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

import pytest

from reboard.board import Board, I2cBus
from reboard.devices.displays.display_controller import DISPLAY_KINDS, DisplayConfig
from reboard.devices.displays.kinds.hd44780_i2c import rom_codes
from reboard.devices.displays.pixel_font import cell
from reboard.devices.displays.text_display import Display, Displayed
from reboard.vocabulary.declared import Event
from reboard_sim.board.i2c import VirtualI2cBus
from reboard_sim.devices.displays.hd44780 import Hd44780
from reboard_sim.devices.displays.hd44780_i2c import VirtualHd44780
from reboard_sim.devices.displays.virtual_display import virtual_display
from tests.virtual import now
from tests.waiting import PATIENCE_S

KINDS = [*DISPLAY_KINDS]
ADDRESS = 0x27
WIRE_S = 90e-6
"""The time of a byte on the bus, in seconds. A character is six of them: two halves, each as data, E high, E low."""


class Bench:
    """A board with a display module of a *kind* on I²C bus 1, and its display."""

    def __init__(self, error: Exception | None, kind: str) -> None:
        self.address = DISPLAY_KINDS[kind].usual_addresses[0]
        self.bus = VirtualI2cBus(time.monotonic)
        self.module = virtual_display(kind)(self.address, lambda: self.bus)
        self.module.power_on()
        self.error = error
        self.events: list[tuple[float, str, object]] = []
        self.emitted = asyncio.Event()
        self.shown_at = 0.0
        self.is_disturbed = False
        controller = DISPLAY_KINDS[kind].open(cast(Board, self), DisplayConfig(kind, 1, self.address))
        self.display = Display(controller, emit=self.emit)

    def open_i2c(self, bus: int) -> I2cBus:
        if self.error:
            raise self.error
        return self.bus

    def emit(self, event: Event) -> None:
        self.shown_at = self.bus.wire_s
        if isinstance(event, Displayed) and self.module.is_lit and not self.is_disturbed:
            assert self.lines == [*map(self.module.legible, event.lines)]
        fields = event.as_json()
        self.events.append((round(now(), 3), event.event, fields.get("lines", fields.get("cause"))))
        self.emitted.set()

    @property
    def names(self) -> list[str]:
        return [name for _, name, _ in self.events]

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.module.lines()]

    @property
    def is_dark(self) -> bool:
        return not self.module.is_lit and not self.module.is_on

    @property
    def lcd(self) -> Hd44780:
        assert isinstance(self.module, VirtualHd44780)
        return self.module.lcd

    def misread(self, nibble: int) -> None:
        """Let the controller read half of a command, or a command."""
        if isinstance(self.module, VirtualHd44780):
            self.lcd.latch(nibble, is_data=False)
        else:
            self.module.chip.receive(bytes((0x00, nibble << 4 | nibble & 0x07)))


@asynccontextmanager
async def opened(error: Exception | None = None, kind: str = KINDS[0]) -> AsyncIterator[Bench]:
    bench = Bench(error, kind)
    try:
        yield bench
    finally:
        bench.display.close()
        bench.display.close()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("äöü", "E1 EF F5"),
        ("¥→←", "5C 7E 7F"),
        ("£¢°", "ED EC DF"),
        ("ÄÖÜ", "E1 EF F5"),
        ("ß", "E2"),
        ("éàç", b"eac".hex()),
        ("C:\\~", b"C:/-".hex()),
        ("„“’", b'""\''.hex()),
        ("\n\x00\x07😀龍Ł", b"??????".hex()),
        *(
            (character, character.encode("ascii").hex())
            for character in string.printable[:95]
            if character not in "\\~"
        ),
    ],
)
def test_a_character_becomes_the_nearest_of_the_rom(text: str, codes: str) -> None:
    assert rom_codes(text) == bytes.fromhex(codes)


async def test_changes_are_written_first_and_then_everything() -> None:
    async with opened() as bench:
        bench.display.show("+1 16.5M", "-2 15M")
        await asyncio.sleep(1)
        for line1, line2, written in (
            ("+1 16.5M", "-2 15M", 0),
            ("+1 17.5M", "-2 15M", 2),  # a move and a character
            ("+1 17.5M", "-2 15K99", 4),  # a move and three neighbours
        ):
            before, bench.shown_at = bench.bus.wire_s, 0.0
            bench.display.show(line1, line2)
            await asyncio.sleep(1)
            assert bench.lines == [line1, line2]
            if written:
                assert bench.shown_at - before == pytest.approx(written * 6 * WIRE_S, rel=0.3)
            assert 0.02 < bench.bus.wire_s - bench.shown_at < 0.024 or not written


def spark(bench: Bench) -> None:
    bench.module.spark()


def dip(bench: Bench) -> None:
    bench.module.dip()


def move_the_screen(bench: Bench) -> None:
    for nibble in (0x1, 0xC):
        bench.misread(nibble)


def off_and_on(bench: Bench) -> None:
    bench.bus.unplug(bench.address)
    bench.bus.plug(bench.address)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("disturb", [spark, dip, move_the_screen, off_and_on])
async def test_a_disturbed_display_shows_the_truth_after_a_few_seconds(
    disturb: Callable[[Bench], None], kind: str
) -> None:
    async with opened(kind=kind) as bench:
        bench.is_disturbed = True
        for nibble in range(16):
            shown = [f"+{nibble} {1000 * nibble + 111}", "-2 111"]
            bench.display.show(*shown)
            await asyncio.sleep(1)
            disturb(bench)
            bench.misread(nibble)
            disturb(bench)
            await asyncio.sleep(3.1)
            assert bench.lines == shown
            disturb(bench)
            bench.display.show("now", "-2 111")
            await asyncio.sleep(0.1)
            assert bench.lines == ["now", "-2 111"]
        assert {*bench.names} == {"display"}, "nothing can notice it, so there is no fault"


async def test_lines_that_only_users_at_the_display_may_see_are_not_in_the_event() -> None:
    async with opened() as bench:
        bench.is_disturbed = True
        bench.display.show("JOIN CODE 4821", "", reported=("JOIN CODE ****", ""))
        await asyncio.sleep(1)
        assert bench.lines[0] == "JOIN CODE 4821"
        bench.display.show("INSERT CARD", "")
        await asyncio.sleep(1)
    assert [fields for _, name, fields in bench.events if name == "display"] == [
        ["JOIN CODE ****", ""],
        ["INSERT CARD", ""],
    ]


async def test_a_write_waits_until_the_controller_is_home() -> None:
    async with opened() as bench:
        await asyncio.sleep(1)
        for line in ("one", "two"):
            bench.display.show(line, "")
            await asyncio.sleep(0.0001)
        await asyncio.sleep(0.01)
        (one_at, _, _), (two_at, _, lines) = bench.events[-2:]
        assert lines == ["two", ""]
        assert 0.001 <= two_at - one_at <= 0.003, "that takes 1.52 ms"


async def test_a_refresh_does_not_flicker() -> None:
    async with opened() as bench:
        bench.display.show("+1 16.5M", "-2 15M")
        await asyncio.sleep(1)
        seen: list[tuple[list[str], bool]] = []
        bench.lcd.on_change.append(lambda: seen.append((bench.lines, bench.module.is_lit)))
        await asyncio.sleep(60)
        assert len(seen) > 20 * 30
        assert {lit for _, lit in seen} == {True}
        # for some hundred microseconds of the initialisation, the controller has one line
        assert [lines for lines, _ in seen if lines[0] != "+1 16.5M"] == []
        assert sum(lines[1] != "-2 15M" for lines, _ in seen) <= 20 * 6


async def test_a_request_waits_for_a_refresh_for_a_few_bytes_only() -> None:
    async with opened() as bench:
        await asyncio.sleep(1)
        requested: list[float] = []

        def request() -> None:  # in the middle of the next refresh
            if not requested:
                requested.append(bench.bus.wire_s)
                bench.display.show("now", "")

        await asyncio.sleep(1)
        bench.lcd.on_change.append(request)
        await asyncio.sleep(5)
        assert bench.shown_at - requested[0] < 0.006
        assert bench.lines == ["now", ""]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_dark_display_is_only_switched_off_again_every_five_minutes(kind: str) -> None:
    async with opened(kind=kind) as bench:
        bench.display.show("one", "")
        bench.display.sleep()
        await asyncio.sleep(10)
        off_and_on(bench)
        assert bench.module.is_lit == (kind == KINDS[0])
        before = bench.bus.wire_s
        await asyncio.sleep(600)
        assert bench.is_dark
        assert bench.bus.wire_s - before < 2 * 0.005


@pytest.mark.realtime
async def test_while_a_display_hangs_no_method_waits_and_only_the_last_request_is_written_after_it() -> None:
    loop = asyncio.get_running_loop()
    hangs, go_on = asyncio.Event(), threading.Event()

    def hang() -> None:  # on the thread of the display
        bench.lcd.on_change.clear()
        loop.call_soon_threadsafe(hangs.set)
        go_on.wait(PATIENCE_S)

    async with opened() as bench:
        await bench.emitted.wait()
        bench.lcd.on_change.append(hang)
        bench.display.show("0", "")
        await hangs.wait()
        for n in range(1, 100):
            bench.display.show(str(n), "")
        bench.display.sleep()
        bench.display.wake()
        go_on.set()
        while len(bench.events) < 3:
            bench.emitted.clear()
            await bench.emitted.wait()
        bench.display.close()
    assert [lines for _, _, lines in bench.events] == [["", ""], ["0", ""], ["99", ""]]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_sleeping_display_is_dark_and_shows_the_latest_lines_when_it_wakes(kind: str) -> None:
    async with opened(kind=kind) as bench:
        bench.display.show("one", "two")
        await asyncio.sleep(1)
        bench.display.sleep()
        await asyncio.sleep(1)
        bench.display.show("three", "two")
        with pytest.raises(ValueError, match="up to 16 characters"):
            bench.display.show("four", "x" * 17)
        await asyncio.sleep(1)
        assert bench.is_dark
        bench.misread(0x5)  # noise puts the controller into a wrong state
        bench.display.wake()
        await asyncio.sleep(1)
        assert bench.module.is_lit
        assert bench.lines == ["three", "two"]
    assert [t for t, *_ in bench.events] == [0.05, 2], "events of lines, not of light"


@pytest.mark.parametrize("kind", KINDS)
async def test_each_time_a_display_is_unplugged_is_one_fault_and_then_it_shows_the_latest_lines(kind: str) -> None:
    async with opened(kind=kind) as bench:
        await asyncio.sleep(1)
        for seconds, back_s in ((100, 31), (1, 2.5)):
            bench.bus.unplug(bench.address)
            for n in range(seconds):
                bench.display.show(f"{n} of {seconds}", "")
                await asyncio.sleep(1)
            bench.bus.plug(bench.address)
            await asyncio.sleep(back_s)
            assert bench.lines == [f"{n} of {seconds}", ""]
    assert bench.names == ["display", *["fault", "recovered", "display"] * 2]
    assert f"nothing answers at 0x{bench.address:02X} on I²C bus 1" in str(bench.events[1][2])


async def test_the_controller_gets_time_to_start() -> None:
    async with opened() as bench:
        bench.bus.unplug(ADDRESS)
        await asyncio.sleep(0.5)
        bench.bus.plug(ADDRESS)
        loop = asyncio.get_running_loop()
        written_at: list[float] = []
        bench.lcd.on_change.append(lambda: written_at.append(loop.time()))
        await asyncio.sleep(1)
    assert written_at[0] == pytest.approx(1.05)


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (FileNotFoundError(errno.ENOENT, "no such file"), "reboard setup boot"),
        (PermissionError(errno.EACCES, "denied"), "sudo reboard doctor"),
        (OSError(121, "Remote I/O error"), "0x27 and 0x3F"),
        (TimeoutError(errno.ETIMEDOUT, "timed out"), "short"),
        (OSError(errno.EIO, "Input/output error"), "HD44780 at 0x27 on I²C bus 1 failed: Input/output error"),
        (OSError("odd"), "failed: odd"),
        (ValueError("defect"), "failed: ValueError('defect')"),
    ],
)
async def test_each_error_is_one_fault_with_advice_and_the_display_is_tried_again(
    error: Exception, cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(error) as bench:
        await asyncio.sleep(10)
        bench.error = None
        await asyncio.sleep(10)
    assert bench.names == ["fault", "recovered", "display"]
    assert cause in str(bench.events[0][2])
    assert caplog.text.count("Traceback") == isinstance(error, ValueError)


@pytest.mark.parametrize("state", ["shown", "not yet written", "unplugged"])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_closed_display_is_empty_and_dark(state: str, kind: str) -> None:
    async with opened(kind=kind) as bench:
        bench.display.show("one", "two")
        if state != "not yet written":
            await asyncio.sleep(1)
        if state == "unplugged":
            bench.bus.unplug(bench.address)
    await bench.display.closed()
    assert "fault" not in bench.names
    if state == "not yet written":
        assert bench.bus.wire_s == 0
    elif state == "shown":
        assert bench.is_dark


@pytest.mark.parametrize("kind", KINDS[1:])
async def test_a_letter_of_an_oled_is_legible_and_no_other(kind: str) -> None:
    shown = "".join(map(chr, range(0x20, 0x7F))) + "äöüßÄÖÜéèêëàâçîïôùûœæÉÀÇŒ€£°¥¢→←"
    assert len({cell(character) for character in shown}) == len(shown), "0 and O, too, are different"
    assert cell("ł") == cell("?")
    letters = {letter: int.from_bytes(cell(letter)) for letter in "eêıî"}
    assert letters["î"] == letters["ı"] | letters["ê"] & ~letters["e"], "the accent takes the place of the dot"
    assert [cell(character) for character in "„’–ő"] == [*map(cell, "\"'-o")]
    async with opened(kind=kind) as bench:
        for begin in range(0, len(shown), 16):
            bench.display.show(line := shown[begin : begin + 16], "0")
            await asyncio.sleep(1)
            assert bench.module.lines() == [line.ljust(16), "0".ljust(16)]


@pytest.mark.parametrize("kind", KINDS[1:])
async def test_an_oled_gets_the_changed_letters_first_and_never_flickers(kind: str) -> None:
    async with opened(kind=kind) as bench:
        bench.display.show("+1 16.5M", "-2 15M")
        await asyncio.sleep(1)
        seen: set[tuple[str, ...]] = set()
        bench.module.chip.on_change.append(lambda: seen.add((*bench.lines, str(bench.module.is_lit))))
        before = bench.bus.wire_s
        bench.display.show("+1 16.5M", "-2 16M")
        await asyncio.sleep(10)  # three times everything
        assert bench.shown_at - before < 0.009
        assert len(seen) > 1
        assert {(first, lit) for first, _, lit in seen} == {("+1 16.5M", "True")}
        assert {second for _, second, _ in seen} - {"-2 15M", "-2 16M"} == {"-2 1□M"}
