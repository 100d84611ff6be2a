import asyncio
from collections.abc import Awaitable, Callable

from reboard_sim import virtual_time
from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.keypad import VirtualKeypad

ROWS, COLUMNS = (5, 6, 13, 19), (12, 16, 20, 21)


def with_keypad(test: Callable[[VirtualPins, VirtualKeypad], Awaitable[None]]) -> Callable[[], None]:
    """Run *test* in virtual time, with the columns pulled up and every row a floating input."""

    def run() -> None:
        async def main() -> None:
            pins = VirtualPins(asyncio.get_running_loop().time)
            for column in COLUMNS:
                pins.pin(column).input_with_pull("up")
            for row in ROWS:
                pins.pin(row).function = "input"
            await test(pins, VirtualKeypad(ROWS, COLUMNS, pins, bounce_s=0))

        virtual_time.run(main)

    run.__name__ = getattr(test, "__name__", "run")
    return run


def low_columns(pins: VirtualPins, row: int) -> list[int]:
    """The columns that are low while *row* alone is driven low."""
    pins.pin(row).output_with_state(False)
    low = [column for column in COLUMNS if not pins.line(column).level]
    pins.pin(row).function = "input"
    return low


@with_keypad
async def test_a_key_joins_its_row_and_column_only(pins: VirtualPins, keypad: VirtualKeypad) -> None:
    keypad.press("6")
    assert keypad.held == ["6"]
    assert [low_columns(pins, row) for row in ROWS] == [[], [20], [], []]
    keypad.release("6")
    assert [low_columns(pins, row) for row in ROWS] == [[], [], [], []]


@with_keypad
async def test_three_corners_of_a_rectangle_make_a_ghost_of_the_fourth(
    pins: VirtualPins, keypad: VirtualKeypad
) -> None:
    for key in ("1", "2", "4"):
        keypad.press(key)
    assert low_columns(pins, ROWS[1]) == [12, 16]
    assert not pins.shorts
