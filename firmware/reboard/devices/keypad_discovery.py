"""Discovery of a keypad's row and column pins: the user presses seven keys."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING

from reboard.devices.examination import TryOut

if TYPE_CHECKING:
    from gpiozero import InputDevice

SCAN_EVERY_S = 0.03
SURE_AFTER_SCANS = 2

Legend = Sequence[Sequence[str]]
Pair = frozenset[int]


def keys_to_press(legend: Legend) -> list[str]:
    """Return the keys that identify all row and column pins: those of the first row and of the first column."""
    return list(dict.fromkeys((*legend[0], *(row[0] for row in legend))))


async def find_rows_and_columns(work: TryOut, name: str, legend: Legend) -> tuple[list[int], list[int]]:
    """Ask the user to press the keys of `keys_to_press`, and return the row and column pins of the keypad *name*."""
    while True:
        pairs: dict[str, Pair] = {}
        for key in keys_to_press(legend):
            pair = None
            while pair is None:
                pair = await work.prompts.until(f"Press {key}.", _next_connected_pair(work, name))
            work.prompts.say(f"{key} connects pins {' and '.join(map(str, sorted(pair)))}.")
            pairs[key] = pair
        if found := rows_and_columns(pairs, legend):
            return found
        work.prompts.say("No keypad is wired like that, so at least one wrong key was pressed. Press the keys again.")


def rows_and_columns(pairs: Mapping[str, Pair], legend: Legend) -> tuple[list[int], list[int]] | None:
    """Return the row pins and the column pins, or ``None`` if no keypad connects the pins like that.

    *pairs* maps each key of `keys_to_press` to the two pins that the key connects.
    """
    first_row, first_column = legend[0], [row[0] for row in legend]
    first = pairs[first_row[0]] & pairs[first_row[1]]
    columns = [next(iter(pairs[key] - first), 0) for key in first_row]
    rows = [*first, *(next(iter(pairs[key] - {columns[0]}), 0) for key in first_column[1:])]
    expected = {key: {rows[0], column} for key, column in zip(first_row, columns, strict=True)} if rows else {}
    expected |= {key: {row, columns[0]} for key, row in zip(first_column, rows, strict=False)}
    is_keypad = len({*rows, *columns}) == len(first_row) + len(first_column) and expected == pairs
    return (rows, columns) if is_keypad else None


async def _next_connected_pair(work: TryOut, name: str) -> Pair:
    """Wait until a key connects two free pins and is released, and return the pins.

    The key must be down for at least `SURE_AFTER_SCANS` scans.
    """
    from gpiozero import InputDevice

    with ExitStack() as devices:
        inputs: list[InputDevice] = []
        for pin in work.free_pins(name):
            with suppress(Exception):  # a pin that another program uses does not belong to the keypad
                device = InputDevice(pin, pull_up=True, pin_factory=work.board.pins)
                inputs.append(devices.enter_context(closing(device)))
        idle = [device for device in inputs if device.pin.state]
        found, scans = None, 0
        while True:
            await asyncio.sleep(SCAN_EVERY_S)
            pair = _connected_pair(idle)
            if pair and pair == found:
                scans += 1
            elif found and scans >= SURE_AFTER_SCANS:
                return found
            else:
                found, scans = pair, 1


def _connected_pair(inputs: Sequence[InputDevice]) -> Pair | None:
    """Drive the pins low one after another, and return the two pins that are connected.

    Return ``None`` if no pins are connected, or if a pin is connected to several others.
    """
    for driven in inputs:
        driven.pin.output_with_state(0)
        low = [other for other in inputs if other is not driven and not other.pin.state]
        driven.pin.function = "input"
        driven.pin.pull = "up"
        if low:
            return frozenset({_number(driven), _number(low[0])}) if len(low) == 1 else None
    return None


def _number(device: InputDevice) -> int:
    return int(device.pin.info.name.removeprefix("GPIO"))
