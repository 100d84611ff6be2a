import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from gpiozero import LED
from hypothesis import given, settings
from hypothesis import strategies as st

from reboard.devices.keypad import LEGEND, PRESS_S, RESCAN_S, Keypad, without_ghosts
from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.keypad import VirtualKeypad
from tests.virtual import Recorder, now

ROWS, COLUMNS = (5, 6, 13, 19), (12, 16, 20, 21)
KEYS = [key for keys in LEGEND for key in keys]


class Bench:
    """A keypad on a virtual Pi: *fingers* press, *calls* has the callbacks (``+1``, ``-1``) with their times."""

    def __init__(self, *, bounce_s: float = 0.0, start: bool = True) -> None:
        self.pins = VirtualPins(asyncio.get_running_loop().time)
        self.fingers = VirtualKeypad(ROWS, COLUMNS, self.pins, bounce_s=bounce_s)
        self.emit = Recorder()
        self.keypad = Keypad(ROWS, COLUMNS, pins=self.pins, emit=self.emit)
        self.calls: list[tuple[float, str]] = []
        if start:
            self.start()

    def start(self) -> None:
        self.keypad.start(
            lambda key: self.calls.append((now(), f"+{key}")),
            lambda key: self.calls.append((now(), f"-{key}")),
            lambda: self.calls.append((now(), "cancelled")),
            lambda: self.calls.append((now(), "unclear")),
        )

    @property
    def keys(self) -> list[str]:
        return [call for _, call in self.calls]

    async def move(self, *moves: str) -> None:
        """Press (``+7``) and release (``-7``) keys, a tenth of a second each."""
        for move in moves:
            (self.fingers.press if move[0] == "+" else self.fingers.release)(move[1:])
            await asyncio.sleep(0.1)

    @contextmanager
    def broken_pin(self) -> Iterator[None]:
        def fail(_function: str) -> None:
            raise OSError("GPIO busy")

        with pytest.MonkeyPatch.context() as pins:
            pins.setattr(self.pins.pin(ROWS[2]), "_set_function", fail)
            yield


async def test_each_key_is_pressed_in_the_second_scan_and_released_after_two_without_it() -> None:
    bench = Bench()
    await asyncio.sleep(1)
    for key in KEYS:
        pressed_at = now()
        await bench.move(f"+{key}")
        assert bench.keypad.down == {key}
        await bench.move(f"-{key}")
        assert bench.calls[-2] == (round(pressed_at + PRESS_S, 6), f"+{key}")
        released_at, call = bench.calls[-1]
        assert call == f"-{key}"
        assert RESCAN_S - 1e-6 <= released_at - pressed_at - 0.1 <= 2 * RESCAN_S + 1e-6
    assert not bench.pins.shorts


@pytest.mark.parametrize("length_s", [1e-6, 0.001, 0.01, 0.02])
async def test_a_spike_presses_no_key(length_s: float) -> None:
    bench = Bench()
    await asyncio.sleep(1)
    for key in KEYS:
        bench.fingers.press(key)
        await asyncio.sleep(length_s)
        bench.fingers.release(key)
        await asyncio.sleep(0.1)
    assert bench.keys == []


@pytest.mark.parametrize("seed", range(5))
async def test_bounce_makes_no_second_press(seed: int) -> None:
    bench = Bench(bounce_s=0.02)
    await asyncio.sleep(1 + seed / 300)
    await bench.move(*(sign + key for key in KEYS for sign in "+-"))
    assert bench.keys == [sign + key for key in KEYS for sign in "+-"]


async def test_a_key_that_one_scan_misses_is_not_released() -> None:
    bench = Bench()
    await asyncio.sleep(1)
    bench.fingers.press("0")
    await asyncio.sleep(0.5 + RESCAN_S / 2)
    bench.fingers.release("0")
    await asyncio.sleep(RESCAN_S)
    bench.fingers.press("0")
    await asyncio.sleep(0.5)
    assert bench.keys == ["+0"]


async def test_a_possible_ghost_is_unclear_once_and_not_pressed_before_it_was_released() -> None:
    bench = Bench()
    await asyncio.sleep(1)
    await bench.move("+1", "+2", "+4")
    await asyncio.sleep(5)
    assert bench.keypad.down == {"1", "2"}  # the third key is 4 or 5
    await bench.move("-2")
    assert bench.keys == ["+1", "+2", "unclear", "-2"]
    await bench.move("-4", "+4")
    assert bench.keys == ["+1", "+2", "unclear", "-2", "+4"]
    await bench.move("+5")
    assert bench.keys[5:] == ["unclear"]
    await bench.move("-5", "+2")
    assert bench.keys[6:] == ["unclear"], "each new ghost is reported"
    corners = {(0, 0), (0, 1), (1, 1)}  # a scan that a press interrupts sees no fourth, so there is no ghost
    assert without_ghosts(corners, set()) == corners


@settings(max_examples=25, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(KEYS), st.booleans()), max_size=12))
async def test_only_keys_that_are_held_are_pressed_and_all_are_up_at_the_end(moves: list[tuple[str, bool]]) -> None:
    bench = Bench(start=False)
    ghosts: list[str] = []
    unclear: list[None] = []

    def pressed(key: str) -> None:
        if key not in bench.fingers.held:
            ghosts.append(key)

    bench.keypad.start(pressed, lambda _: None, lambda: None, lambda: unclear.append(None))
    await asyncio.sleep(1)
    for key, press in moves:
        await bench.move(f"{'+' if press else '-'}{key}")
        if not bench.fingers.held:
            unclear.clear()
        if not unclear:
            assert bench.keypad.down == set(bench.fingers.held)
        assert bench.keypad.down <= set(bench.fingers.held)
    await bench.move(*(f"-{key}" for key in KEYS))
    assert ghosts == []
    assert not bench.keypad.down
    assert not bench.pins.shorts


def timers() -> int:
    """Return how often the loop would wake up."""
    return sum(not timer.cancelled() for timer in vars(asyncio.get_running_loop())["_scheduled"])


async def test_nothing_polls_while_no_key_is_down() -> None:
    bench = Bench()
    await asyncio.sleep(1)
    assert timers() == 0
    await bench.move("+7")
    assert timers() == 1
    await asyncio.sleep(RESCAN_S / 2)
    bench.fingers.release("7")
    await asyncio.sleep(2 * RESCAN_S)
    assert timers() == 0


async def test_a_press_with_a_lost_edge_is_found_by_scanning_again() -> None:
    bench = Bench()
    await asyncio.sleep(1)
    bench.fingers.press("7")
    bench.fingers.release("7")
    await asyncio.sleep(0.01)
    bench.pins.pin(COLUMNS[0]).edges = "none"  # the kernel's queue of edges overflows
    await bench.move("+7")
    assert bench.keys == ["+7"]


async def test_keys_of_one_scan_are_unclear_because_their_order_is_not_known() -> None:
    bench = Bench()
    await asyncio.sleep(1)
    await bench.move("+1")
    bench.fingers.press("5")
    await bench.move("+.", "-.", "-5", "+5")
    assert bench.keys == ["+1", "unclear", "+5"]


async def test_a_callback_can_close_the_keypad() -> None:
    bench = Bench(start=False)
    calls: list[str] = []

    def close(key: str) -> None:
        calls.append(key)
        bench.keypad.close()

    bench.keypad.start(close, calls.append, lambda: None, lambda: None)
    await asyncio.sleep(1)
    await bench.move("+7", "+8", "-8", "-7")
    bench.keypad.close()
    assert calls == ["7"]
    for pin in (*ROWS, *COLUMNS):
        LED(pin, pin_factory=bench.pins).close()


async def test_a_shorted_column_is_a_fault_and_presses_nothing() -> None:
    bench = Bench()
    column = bench.pins.line(COLUMNS[1])
    column.drive(False)
    await asyncio.sleep(0.5)
    assert bench.emit.names == []
    await asyncio.sleep(1)
    [(name, fault)] = bench.emit.events
    assert (name, fault["part"]) == ("fault", "keypad")
    assert "GPIO16" in str(fault["cause"])
    await bench.move("+M", "-M")
    with bench.broken_pin():
        await asyncio.sleep(2.5)
    await asyncio.sleep(5)
    assert bench.emit.names == ["fault"] * 3, "the short, the broken pin, and the short again"
    column.drive(None)
    await asyncio.sleep(1.7)
    assert bench.emit.names[3:] == ["recovered"]
    assert bench.keys == ["+M", "-M", "cancelled"]


@pytest.mark.parametrize("hz", [49.9, 50, 60])
async def test_hum_on_a_column_loses_no_press(hz: float) -> None:
    bench = Bench()
    column = bench.pins.line(COLUMNS[1])

    async def hum() -> None:
        while True:
            column.drive(False)
            await asyncio.sleep(0.5 / hz)
            column.drive(None)
            await asyncio.sleep(0.5 / hz)

    humming = asyncio.ensure_future(hum())
    await asyncio.sleep(2)
    moves = [f"{move}{key}" for key in KEYS for move in "+-"]
    await bench.move(*moves)
    humming.cancel()
    assert bench.keys == moves
    assert bench.emit.names == ["fault"]


async def test_hum_on_a_column_is_one_fault_and_a_palm_now_and_then_is_none() -> None:
    bench = Bench()
    column = bench.pins.line(COLUMNS[1])
    for _ in range(3):
        column.drive(False)
        await asyncio.sleep(0.8)
        column.drive(None)
        await asyncio.sleep(1.7)
    assert bench.emit.names == []
    for _ in range(500):
        column.drive(False)
        await asyncio.sleep(0.01)
        column.drive(None)
        await asyncio.sleep(0.01)
    assert bench.emit.names == ["fault"]
    await asyncio.sleep(1.7)
    assert bench.emit.names == ["fault", "recovered"]
    assert bench.keys == []


async def test_hum_on_two_columns_is_one_fault_that_names_both() -> None:
    bench = Bench()
    for place in range(500):
        column = bench.pins.line(COLUMNS[place % 2])
        column.drive(False)
        await asyncio.sleep(0.01)
        column.drive(None)
        await asyncio.sleep(0.003)
    assert bench.emit.names == ["fault"]
    assert "column GPIO12 and column GPIO16" in str(bench.emit.events[0][1]["cause"])


@pytest.mark.parametrize("held_at_the_end", [True, False])
async def test_broken_pins_are_one_fault_and_cancel_the_keys_that_are_held(held_at_the_end: bool) -> None:
    bench = Bench()
    await asyncio.sleep(1)
    await bench.move("+C")
    with bench.broken_pin():
        await asyncio.sleep(3)
        assert bench.keys == ["+C", "cancelled"]
        assert bench.keypad.down == frozenset()
        if not held_at_the_end:
            bench.fingers.release("C")
    await asyncio.sleep(2)
    assert bench.emit.names == ["fault", "recovered"]
    cause = str(bench.emit.events[0][1]["cause"])
    assert "GPIO13" in cause
    assert "GPIO busy" in cause
    assert bench.keypad.down == frozenset()
    await bench.move("-C", "+C")
    assert bench.keys == ["+C", "cancelled", "+C"]


async def test_keys_that_are_down_at_the_start_act_only_after_they_were_released() -> None:
    bench = Bench(start=False)
    await bench.move("+C")
    bench.start()
    await asyncio.sleep(0.01)
    bench.fingers.press("5")  # as a contact that bounced open at the start
    await asyncio.sleep(0.1)
    await bench.move("+1", "-1", "-5")
    await asyncio.sleep(5)
    assert bench.keys == ["+1", "-1"]
    await bench.move("-C", "+C", "-C", "+5")
    assert bench.keys[2:] == ["+C", "-C", "+5"]


@pytest.mark.parametrize("before_s", [x / 200 for x in range(-10, 11)])
@pytest.mark.parametrize("spark_s", [1e-6, 0.005, 0.0199])
async def test_a_spark_on_a_column_loses_no_press(before_s: float, spark_s: float) -> None:
    bench = Bench()
    column = bench.pins.line(COLUMNS[1])
    loop = asyncio.get_running_loop()
    loop.call_later(1 + before_s, column.drive, False)
    loop.call_later(1 + before_s + spark_s, column.drive, None)
    await asyncio.sleep(1)
    await bench.move("+5", "-5")
    assert bench.keys == ["+5", "-5"]


@pytest.mark.parametrize("is_down_at_the_start", [True, False])
async def test_a_palm_on_a_column_presses_no_key_when_it_leaves(is_down_at_the_start: bool) -> None:
    bench = Bench(start=not is_down_at_the_start)
    await asyncio.sleep(1)
    for key in "147.":
        bench.fingers.press(key)
    if is_down_at_the_start:
        bench.start()
    await asyncio.sleep(0.5)
    await bench.move("-4", "-7", "-.")
    await asyncio.sleep(1)
    assert bench.keys == []
    await bench.move("-1", "+1")
    assert bench.keys == ["+1"]


@pytest.mark.parametrize("is_down_at_the_start", [True, False])
async def test_a_key_that_is_down_for_30_seconds_is_a_fault_until_it_is_up(is_down_at_the_start: bool) -> None:
    bench = Bench(start=not is_down_at_the_start)
    await asyncio.sleep(1)
    bench.fingers.press("C")
    if is_down_at_the_start:
        bench.start()
    await asyncio.sleep(29.7)
    await bench.move("+5", "-5")
    assert bench.emit.names == []
    await asyncio.sleep(0.2)
    await bench.move("+1")
    assert bench.emit.names == ["fault"]
    assert str(bench.emit.events[0][1]["cause"]).startswith("the key C has been down for 30 s: take away")
    assert "GPIO13 to GPIO21" in str(bench.emit.events[0][1]["cause"])
    await asyncio.sleep(30)
    assert "the keys 1 and C have been down" in str(bench.emit.events[1][1]["cause"])
    await bench.move("-C")
    assert "the key 1 has been down" in str(bench.emit.events[2][1]["cause"])
    await bench.move("-1")
    assert bench.emit.names[3:] == ["recovered"]
    assert timers() == 0


async def test_a_key_that_comes_up_within_30_seconds_is_no_fault() -> None:
    bench = Bench()
    await asyncio.sleep(1)
    await bench.move("+C")
    await asyncio.sleep(29)
    await bench.move("-C", "+C")
    await asyncio.sleep(29)
    with bench.broken_pin():
        await asyncio.sleep(1)
    await asyncio.sleep(29)
    assert bench.emit.names == ["fault", "recovered"], "of the broken pin"
    await asyncio.sleep(3)
    assert bench.emit.names[2:] == ["fault"]


@pytest.mark.parametrize(("rows", "columns"), [(ROWS[1:], COLUMNS), (ROWS, COLUMNS[1:])])
async def test_a_keypad_has_four_rows_and_four_columns(rows: tuple[int, ...], columns: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="4 rows and 4 columns"):
        Keypad(rows, columns, pins=VirtualPins(now))
