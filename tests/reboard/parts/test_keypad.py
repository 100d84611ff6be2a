import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from gpiozero import LED
from gpiozero.pins.mock import MockFactory
from hypothesis import given, settings
from hypothesis import strategies as st

from reboard.errors import PartError
from reboard.events import Emit, to_nobody
from reboard.parts.keypad import LEGEND, RESCAN_S, Keypad, without_doubtful
from reboard_sim import virtual_time
from reboard_sim.keypad import VirtualKeypad
from reboard_sim.pins import VirtualPins

ROWS, COLUMNS = (5, 6, 13, 19), (12, 16, 20, 21)
KEYS = [key for keys in LEGEND for key in keys]
Told = tuple[float, str]


class Bench:
    """A keypad on a virtual Pi: *fingers* press, *told* keeps what the firmware's side told (``+1``, ``-1``)."""

    def __init__(self, emit: Emit = to_nobody, bounce_s: float = 0.0) -> None:
        self.loop = asyncio.get_running_loop()
        self.pins = VirtualPins(self.loop.time)
        self.fingers = VirtualKeypad(ROWS, COLUMNS, self.pins, bounce_s=bounce_s)
        self.keypad = Keypad(ROWS, COLUMNS, pins=self.pins, emit=emit)
        self.told: list[Told] = []

    def start(self) -> None:
        self.keypad.start(
            lambda key: self._tell(f"+{key}"),
            lambda key: self._tell(f"-{key}"),
            lambda: self._tell("called off"),
            lambda: self._tell("unclear"),
        )

    def _tell(self, what: str) -> None:
        self.told.append((round(self.loop.time(), 6), what))

    @property
    def keys(self) -> list[str]:
        return [what for _, what in self.told]


def on_a_bench(test: Callable[[Bench], Awaitable[None]]) -> Callable[[], None]:
    """Run *test* in virtual time, with a keypad started a second ago; no callback may fail, no pin be shorted."""

    def run() -> None:
        async def main() -> None:
            failures: list[object] = []
            asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
            bench = Bench()
            bench.start()
            await asyncio.sleep(1)
            await test(bench)
            await asyncio.sleep(1)
            assert failures == []
            assert not bench.pins.shorts

        virtual_time.run(main)

    run.__name__ = getattr(test, "__name__", "run")
    return run


@on_a_bench
async def test_every_key_is_known_by_its_name(bench: Bench) -> None:
    for key in KEYS:
        bench.fingers.press(key)
        await asyncio.sleep(0.1)
        assert bench.keypad.down == {key}
        bench.fingers.release(key)
        await asyncio.sleep(0.1)
    assert bench.keys == [sign + key for key in KEYS for sign in "+-"]


@on_a_bench
async def test_a_press_acts_at_once_and_a_release_when_two_scans_agree(bench: Bench) -> None:
    bench.fingers.press("5")
    await asyncio.sleep(0.1)
    bench.fingers.release("5")
    await asyncio.sleep(1)
    assert bench.told[0] == (1.0, "+5")
    t, what = bench.told[1]
    assert what == "-5"
    assert 1.1 + RESCAN_S <= t <= 1.1 + 2 * RESCAN_S + 1e-6


@pytest.mark.parametrize("seed", range(10))
def test_bounce_makes_no_second_press(seed: int) -> None:
    async def main() -> None:
        bench = Bench(bounce_s=0.02)
        bench.start()
        await asyncio.sleep(1 + seed / 300)
        for key in KEYS:
            bench.fingers.press(key)
            await asyncio.sleep(0.09)
            bench.fingers.release(key)
            await asyncio.sleep(0.09)
        assert bench.keys == [sign + key for key in KEYS for sign in "+-"]

    virtual_time.run(main)


@on_a_bench
async def test_a_contact_lost_for_a_moment_is_no_release(bench: Bench) -> None:
    bench.fingers.press("0")
    await asyncio.sleep(0.5 + RESCAN_S / 2)
    bench.fingers.release("0")
    await asyncio.sleep(RESCAN_S)
    bench.fingers.press("0")
    await asyncio.sleep(0.5)
    assert bench.keys == ["+0"]


@on_a_bench
async def test_two_keys_at_once_are_both_told(bench: Bench) -> None:
    for one, other in (("1", "2"), ("1", "4"), ("1", "DEAL"), ("GO", "C")):
        bench.told.clear()
        bench.fingers.press(one)
        await asyncio.sleep(0.05)
        bench.fingers.press(other)
        await asyncio.sleep(0.05)
        assert bench.keypad.down == {one, other}
        bench.fingers.release(one)
        await asyncio.sleep(0.1)
        bench.fingers.release(other)
        await asyncio.sleep(0.1)
        assert bench.keys == [f"+{one}", f"+{other}", f"-{one}", f"-{other}"]


@on_a_bench
async def test_a_ghost_is_never_told_nor_is_what_hid_behind_it_until_it_goes_down_anew(bench: Bench) -> None:
    for key in ("1", "2", "4"):
        bench.fingers.press(key)
        await asyncio.sleep(0.1)
    assert bench.keypad.down == {"1", "2"}  # 4 or 5: nobody can tell
    bench.fingers.release("2")
    await asyncio.sleep(0.1)
    assert bench.keys == ["+1", "+2", "unclear", "-2"]
    bench.fingers.release("4")
    await asyncio.sleep(0.1)
    bench.fingers.press("4")
    await asyncio.sleep(0.1)
    assert bench.keys == ["+1", "+2", "unclear", "-2", "+4"]


@on_a_bench
async def test_keys_that_cannot_be_told_apart_are_told_as_that_once_however_long_they_are_held(bench: Bench) -> None:
    for key in ("7", "9", "1"):
        bench.fingers.press(key)
        await asyncio.sleep(0.1)
    await asyncio.sleep(5)
    assert bench.keys == ["+7", "+9", "unclear"]
    bench.fingers.release("1")
    await asyncio.sleep(0.1)
    bench.fingers.press("3")
    await asyncio.sleep(0.1)
    assert bench.keys == ["+7", "+9", "unclear", "unclear"]


@settings(max_examples=60, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(KEYS), st.booleans()), max_size=12))
def test_whatever_is_told_as_pressed_is_held_and_in_the_end_all_are_up(moves: list[tuple[str, bool]]) -> None:
    async def main() -> None:
        bench = Bench()
        ghosts: list[str] = []

        def pressed(key: str) -> None:
            if key not in bench.fingers.held:
                ghosts.append(key)

        blurs: list[None] = []
        bench.keypad.start(pressed, lambda _: None, lambda: None, lambda: blurs.append(None))
        for key, press in moves:
            (bench.fingers.press if press else bench.fingers.release)(key)
            await asyncio.sleep(0.1)
            if not bench.fingers.held:
                blurs.clear()
            if not blurs:
                assert bench.keypad.down == set(bench.fingers.held)
            assert bench.keypad.down <= set(bench.fingers.held)
        for key in KEYS:
            bench.fingers.release(key)
        await asyncio.sleep(0.1)
        assert ghosts == []
        assert not bench.keypad.down
        assert not bench.pins.shorts

    virtual_time.run(main)


def test_the_fourth_corner_is_doubtful_unless_it_was_down() -> None:
    rectangle = {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert without_doubtful(rectangle, set()) == set()
    assert without_doubtful(rectangle | {(3, 3)}, {(0, 0), (1, 1)}) == {(0, 0), (1, 1), (3, 3)}
    assert without_doubtful({(0, 0), (0, 1), (1, 0)}, set()) == {(0, 0), (0, 1), (1, 0)}


def test_a_key_that_is_held_at_the_start_is_told_at_the_start() -> None:
    async def main() -> None:
        bench = Bench()
        bench.fingers.press("C")
        await asyncio.sleep(1)
        assert bench.told == []
        bench.start()
        assert bench.told == [(1.0, "+C")]
        bench.fingers.release("C")
        await asyncio.sleep(1)
        assert bench.keys == ["+C", "-C"]

    virtual_time.run(main)


def timers_set() -> int:
    """How many timers the loop would wake up for."""
    return sum(not timer.cancelled() for timer in vars(asyncio.get_running_loop())["_scheduled"])


@on_a_bench
async def test_at_rest_nothing_polls(bench: Bench) -> None:
    assert timers_set() == 0
    bench.fingers.press("7")
    await asyncio.sleep(3)
    assert timers_set() == 1
    bench.fingers.release("7")
    await asyncio.sleep(1)
    assert bench.keys == ["+7", "-7"]
    assert timers_set() == 0


@on_a_bench
async def test_a_press_whose_second_edge_is_lost_is_found_by_looking_again(bench: Bench) -> None:
    bench.fingers.press("7")
    bench.fingers.release("7")
    await asyncio.sleep(0.01)
    bench.pins.pin(COLUMNS[0]).edges = "none"  # the kernel's queue of edges runs over
    bench.fingers.press("7")
    await asyncio.sleep(0.1)
    assert bench.keys == ["+7"]


@on_a_bench
async def test_a_callback_may_close_the_keypad_and_hears_no_more(bench: Bench) -> None:
    told: list[str] = []

    def close(key: str) -> None:
        told.append(key)
        bench.keypad.close()

    bench.keypad.start(close, told.append, lambda: None, lambda: None)
    bench.fingers.press("7")
    bench.fingers.press("8")
    await asyncio.sleep(1)
    bench.fingers.release("8")
    bench.keypad.close()
    await asyncio.sleep(1)
    assert told == ["7"]
    for pin in (*ROWS, *COLUMNS):
        LED(pin, pin_factory=bench.pins).close()


def test_a_column_shorted_to_ground_presses_nothing_and_is_told() -> None:
    async def main() -> None:
        events: list[tuple[str, dict[str, object]]] = []

        def emit(name: str, /, **fields: object) -> None:
            events.append((name, fields))

        bench = Bench(emit)
        bench.start()
        column = bench.pins.line(COLUMNS[1])
        column.drive(False)
        await asyncio.sleep(0.5)
        assert events == []
        await asyncio.sleep(1)
        assert events == [
            ("fault", {"part": "keypad", "cause": "column GPIO16 is low all the time: a short to ground?"})
        ]
        bench.fingers.press("M")
        await asyncio.sleep(5)
        bench.fingers.release("M")
        column.drive(None)
        await asyncio.sleep(1)
        assert events[1:] == [("recovered", {"part": "keypad"})]
        assert bench.keys == ["+M", "-M"]

    virtual_time.run(main)


def test_a_scan_that_fails_while_a_column_is_shorted_leaves_the_short_told() -> None:
    async def main() -> None:
        told: list[str] = []

        def emit(name: str, /, **fields: object) -> None:
            told.append(f"{name}: {fields.get('cause')}")

        def fail(_function: str) -> None:
            raise OSError("GPIO busy")

        bench = Bench(emit)
        bench.start()
        bench.pins.line(COLUMNS[1]).drive(False)
        await asyncio.sleep(2)
        with pytest.MonkeyPatch.context() as pins:
            pins.setattr(bench.pins.pin(ROWS[2]), "_set_function", fail)
            await asyncio.sleep(2.5)
        await asyncio.sleep(5)
        short, failure, short_again = told
        assert short == short_again == "fault: column GPIO16 is low all the time: a short to ground?"
        assert "GPIO busy" in failure
        bench.pins.line(COLUMNS[1]).drive(None)
        await asyncio.sleep(1)
        assert told[3:] == ["recovered: None"]
        bench.keypad.close()

    virtual_time.run(main)


def test_pins_that_fail_are_one_fault_and_keys_are_heard_again_when_they_work() -> None:
    async def main() -> None:
        events: list[tuple[str, float, str]] = []

        def emit(name: str, /, **fields: object) -> None:
            assert fields["part"] == "keypad"
            events.append((name, round(bench.loop.time(), 3), str(fields.get("cause"))))

        def fail(_function: str) -> None:
            raise OSError("GPIO busy")

        bench = Bench(emit)
        bench.start()
        await asyncio.sleep(1)
        with pytest.MonkeyPatch.context() as pins:
            pins.setattr(bench.pins.pin(ROWS[2]), "_set_function", fail)
            bench.fingers.press("7")
            await asyncio.sleep(3.5)
            bench.fingers.release("7")
        await asyncio.sleep(1)
        bench.fingers.press("7")
        await asyncio.sleep(1)
        assert [(name, t) for name, t, _ in events] == [("fault", 1), ("recovered", 5)]
        assert "GPIO13" in events[0][2]
        assert "GPIO busy" in events[0][2]
        assert bench.keys == ["called off", "+7"]
        bench.keypad.close()

    virtual_time.run(main)


@pytest.mark.parametrize("let_go_unseen", [True, False])
def test_a_key_that_is_held_when_the_pins_fail_counts_no_more_and_is_not_pressed_again(let_go_unseen: bool) -> None:
    async def main() -> None:
        def fail(_function: str) -> None:
            raise OSError("GPIO busy")

        bench = Bench()
        bench.start()
        bench.fingers.press("C")
        await asyncio.sleep(0.5)
        with pytest.MonkeyPatch.context() as pins:
            pins.setattr(bench.pins.pin(ROWS[2]), "_set_function", fail)
            await asyncio.sleep(0.5)
            assert bench.keys == ["+C", "called off"]
            assert bench.keypad.down == frozenset()
            if let_go_unseen:
                bench.fingers.release("C")
            await asyncio.sleep(3)
        await asyncio.sleep(1)
        assert bench.keypad.down == (frozenset() if let_go_unseen else {"C"})
        assert bench.keys == ["+C", "called off"]
        bench.fingers.release("C")
        await asyncio.sleep(1)
        assert bench.keys == ["+C", "called off", *([] if let_go_unseen else ["-C"])]
        bench.fingers.press("C")
        await asyncio.sleep(0.5)
        assert bench.keys[-1] == "+C"
        bench.keypad.close()

    virtual_time.run(main)


@on_a_bench
async def test_pins_that_cannot_be_had_are_named_and_the_others_given_back(bench: Bench) -> None:
    led = LED(26, pin_factory=bench.pins)
    with pytest.raises(PartError, match=r"keypad's column on GPIO26 .* in use"):
        Keypad((7, 8, 9, 10), (11, 22, 23, 26), pins=bench.pins)
    with pytest.raises(PartError, match=r"keypad's row on GPIO26 .* in use"):
        Keypad((7, 8, 9, 26), (11, 22, 23, 24), pins=bench.pins)
    led.close()
    Keypad((7, 8, 9, 10), (11, 22, 23, 26), pins=bench.pins).close()
    with pytest.raises(ValueError, match="4 rows and 4 columns"):
        Keypad((7, 8, 9), (11, 22, 23, 26), pins=bench.pins)


@on_a_bench
async def test_its_repr_shows_its_state(bench: Bench) -> None:
    bench.fingers.press("GO")
    await asyncio.sleep(0.1)
    assert repr(bench.keypad).endswith("columns (12, 16, 20, 21), GO down>")


def test_it_works_on_gpiozeros_mock_pins_with_edges_from_another_thread() -> None:
    async def main(thread: ThreadPoolExecutor) -> None:
        loop = asyncio.get_running_loop()
        loop.set_debug(True)  # notices who calls it from another thread
        pins = MockFactory()
        keypad = Keypad(ROWS, COLUMNS, pins=pins)
        told: list[str] = []
        keypad.start(told.append, lambda key: told.append(f"-{key}"), lambda: None, lambda: None)
        await asyncio.sleep(1)
        assert told == []
        # a mock pin knows no matrix: the column is low for whatever row, which is no key
        await loop.run_in_executor(thread, pins.pin(COLUMNS[0]).drive_low)
        await asyncio.sleep(0.1)
        assert told == []
        assert keypad._rescan
        await loop.run_in_executor(thread, pins.pin(COLUMNS[0]).drive_high)
        await asyncio.sleep(0.1)
        assert not keypad._rescan
        keypad.close()

    with ThreadPoolExecutor(1) as thread:
        virtual_time.run(lambda: main(thread))
