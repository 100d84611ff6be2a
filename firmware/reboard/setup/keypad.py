"""The keypad: which wires are its rows and which its columns, and does each key work?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress

from gpiozero import InputDevice

from reboard.errors import PartError
from reboard.parts.keypad import LEGEND, Keypad
from reboard.setup.draft import USUAL_COLUMNS, USUAL_ROWS
from reboard.setup.pins import free_pins
from reboard.setup.visit import Visit

FIRST_ROW = LEGEND[0]
FIRST_COLUMN = tuple(row[0] for row in LEGEND)
TO_LEARN = dict.fromkeys((*FIRST_ROW, *FIRST_COLUMN))
"""Seven keys that tell every wire: those of the first row each have another column, those of the first column another
row."""

LOOK_EVERY_S = 0.03
SURE_AFTER_LOOKS = 2

Pair = frozenset[int]


async def set_up_keypad(visit: Visit) -> None:
    """Is there one, and where are its wires?"""
    talk, draft = visit.talk, visit.draft
    if draft.get("bank") is None:
        return
    talk.show("\nThe keypad")
    if not await visit.has("bank.keypad", "Is there a keypad?"):
        return
    rows, columns = draft.get("bank.keypad.rows") or USUAL_ROWS, draft.get("bank.keypad.columns") or USUAL_COLUMNS
    talk.say(f"As in the drawing its rows are on pins {_words(rows)}, and its columns on {_words(columns)}.")
    is_so = await talk.yes("Is it wired so? n finds out by seven keys.")
    while True:
        if not is_so:
            rows, columns = await _learn(visit)
        try:
            works = await _try(visit, rows, columns)
        except PartError as problem:
            talk.say(f"{problem}")
            works = False
        if works:
            draft.put("bank.keypad", {"rows": list(rows), "columns": list(columns)})
            return
        is_so = False


async def _try(visit: Visit, rows: Sequence[int], columns: Sequence[int]) -> bool:
    """Let every key be pressed; whether they are to be taken so."""
    left = [key for row in LEGEND for key in row]
    all_seen = asyncio.Event()

    def press(key: str) -> None:
        row = next(number for number, keys in enumerate(LEGEND) if key in keys)
        column = LEGEND[row].index(key)
        visit.talk.show(f"  {key:<4}  row {row + 1} (pin {rows[row]}), column {column + 1} (pin {columns[column]})")
        with suppress(ValueError):
            left.remove(key)
        if not left:
            all_seen.set()

    with closing(Keypad(rows, columns, pins=visit.board.pins)) as keypad:
        keypad.start(press, lambda _: None, lambda: None, lambda: None)
        await visit.talk.until("Press every key once, in any order. Enter ends it.", all_seen.wait())
    if not left:
        visit.talk.say("Every key works.")
        return True
    visit.talk.say(f"Not pressed, or not heard: {' '.join(left)}.")
    return await visit.talk.yes("Take the keypad so? n finds out by seven keys.", default=len(left) < len(LEGEND) ** 2)


async def _learn(visit: Visit) -> tuple[list[int], list[int]]:
    while True:
        pairs: dict[str, Pair] = {}
        for key in TO_LEARN:
            pair = None
            while pair is None:
                pair = await visit.talk.until(f"Press {key}.", joined(visit))
            visit.talk.say(f"{key} joins pins {_words(sorted(pair))}.")
            pairs[key] = pair
        if wires := rows_and_columns(pairs):
            return wires
        visit.talk.say("That makes no keypad: some of these keys were others. Once more, please.")


def rows_and_columns(pairs: dict[str, Pair]) -> tuple[list[int], list[int]] | None:
    """The pins of the rows and of the columns, from those that the keys of `TO_LEARN` join; ``None``: it is none."""
    first = pairs[FIRST_ROW[0]] & pairs[FIRST_ROW[1]]
    columns = [next(iter(pairs[key] - first), 0) for key in FIRST_ROW]
    rows = [*first, *(next(iter(pairs[key] - {columns[0]}), 0) for key in FIRST_COLUMN[1:])]
    expected = {key: {rows[0], column} for key, column in zip(FIRST_ROW, columns, strict=True)} if rows else {}
    expected |= {key: {row, columns[0]} for key, row in zip(FIRST_COLUMN, rows, strict=False)}
    is_one = len({*rows, *columns}) == len(LEGEND) + len(LEGEND[0]) and expected == pairs
    return (rows, columns) if is_one else None


async def joined(visit: Visit) -> Pair:
    """The two free pins that something joins, once it keeps doing so for a moment and then lets go."""
    with ExitStack() as devices:
        inputs: list[InputDevice] = []
        for pin in free_pins(visit, "bank.keypad"):
            with suppress(Exception):  # a pin that somebody else has is no wire of the keypad's
                inputs.append(devices.enter_context(closing(_pulled_up(visit, pin))))
        idle = [wire for wire in inputs if wire.pin.state]
        found, looks = None, 0
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            pair = _joined_now(idle)
            if pair and pair == found:
                looks += 1
            elif found and looks >= SURE_AFTER_LOOKS:
                return found
            else:
                found, looks = pair, 1


def _pulled_up(visit: Visit, pin: int) -> InputDevice:
    return InputDevice(pin, pull_up=True, pin_factory=visit.board.pins)


def _joined_now(wires: Sequence[InputDevice]) -> Pair | None:
    """The two of *wires* that are one now: each is driven low for an instant, to see which other one follows."""
    for driven in wires:
        driven.pin.output_with_state(0)
        low = [other for other in wires if other is not driven and not other.pin.state]
        driven.pin.function = "input"
        driven.pin.pull = "up"
        if low:
            return frozenset({_number(driven), _number(low[0])}) if len(low) == 1 else None
    return None


def _words(pins: Sequence[int]) -> str:
    return " ".join(map(str, pins))


def _number(wire: InputDevice) -> int:
    return int(wire.pin.info.name.removeprefix("GPIO"))
