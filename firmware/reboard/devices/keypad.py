"""The keypad: sixteen keys in a matrix of four rows and four columns.

While no key is down, each row is low and each column is pulled up. Any key causes an edge, so polling is not needed.
An edge starts a scan. It drives one row low at a time while the other rows are inputs, so that two keys never connect
two outputs. The scan is repeated until all keys are up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Annotated

from reboard.board import Board
from reboard.config.kinds import Several
from reboard.config.pins_and_ports import pin
from reboard.devices.device import Absent, DeviceKind, FittedDevice, nothing, pin_list
from reboard.devices.examination import TryOut
from reboard.devices.gpio.gpio_pin import InputPin, named_pin_errors
from reboard.devices.keypad_discovery import find_rows_and_columns
from reboard.errors import DeviceError
from reboard.events import Emit, FaultState, ignore_event
from reboard.languages import translatable
from reboard.record import Record

if TYPE_CHECKING:
    from gpiozero import Factory, OutputDevice

LEGEND = (
    ("1", "2", "3", "K"),
    ("4", "5", "6", "M"),
    ("7", "8", "9", "C"),
    (".", "0", "GO", "DEAL"),
)
"""The labels of the keys: rows from top to bottom, columns from left to right."""

RESCAN_S = 0.02

HUM_S = 0.011
"""The pause in seconds after a scan in which hum pulls a column low: half a period of the mains later it is high, and
then in each scan, so that its keys are seen."""

PRESS_S = 0.022
"""The time in seconds after which a second scan must see a key, so that it counts as pressed. A spark lasts up to
20 ms."""

RESOLUTION_S = 1e-6
"""The difference between times that counts as none, in seconds."""

RETRY_S = 1.0
"""The pause after a failed scan, in seconds."""

UP_AFTER_SCANS = 2
"""The number of successive scans that must miss a key before it counts as up. After the same number of scans without
any key, scanning stops."""

SHORT_S = 1.0
"""The time in seconds for which a column is low for all rows, again and again, before it is a fault: a palm presses all
keys of a column for less."""

SHORT_ENDS_S = 1.5
"""The time in seconds without such a scan after which there is no fault any more. It is longer than `RETRY_S`."""

BEGIN_S = 0.05
"""The time in seconds after the start of scanning within which a key that goes down was pressed before: its contact
still bounces, for up to 20 ms."""

STUCK_S = 30.0
"""The time in seconds after which a key that stays down is a fault: no user holds a key for so long."""

Place = tuple[int, int]
"""The row and the column of a key, counted from 0."""


class KeypadConfig(Record):
    """The setting ``bank.keypad``."""

    rows: Annotated[tuple[int, ...], Several(pin, 4, 4), "of the rows, top to bottom"]
    columns: Annotated[tuple[int, ...], Several(pin, 4, 4), "of the columns, left to right"]


def without_ghosts(seen: Set[Place], down: Set[Place]) -> set[Place]:
    """Return the keys in *seen* that are certainly down, given the keys that were *down* before.

    A matrix without diodes has ghosts: if three keys at the corners of a rectangle are down, the scan also sees the
    fourth. Of such four keys, only those that were down before are certain.
    """
    return {
        (row, column)
        for row, column in seen
        if (row, column) in down
        or not any(
            (row, other_column) in seen and (other_row, column) in seen
            for other_row, other_column in seen
            if other_row != row and other_column != column
        )
    }


def _ignore(*_: str) -> None:
    """Do nothing. This is the callback before `Keypad.start` and after `Keypad.close`."""


class Keypad:
    """A 4×4 matrix keypad without diodes. It reports several keys at once, but no key that may be a ghost.

    *rows* and *columns* are four pins each, in the order of `LEGEND`. A key that is down for `STUCK_S`, a shorted
    column, or pins that cannot be scanned cause a ``fault`` event for *name*. Raises `DeviceError` if a pin cannot be
    used.
    """

    def __init__(
        self,
        rows: Sequence[int],
        columns: Sequence[int],
        *,
        pins: Factory,
        emit: Emit = ignore_event,
        name: str = "keypad",
    ) -> None:
        if len(rows) != len(LEGEND) or len(columns) != len(LEGEND[0]):
            raise ValueError(f"a keypad has 4 rows and 4 columns, not {len(rows)} and {len(columns)}")
        self._row_pins, self._column_pins = tuple(rows), tuple(columns)
        self._name = name
        self._fault = FaultState(name, emit)
        self._is_started = False
        self._pressed: Callable[[str], None] = _ignore
        self._released: Callable[[str], None] = _ignore
        self._cancelled: Callable[[], None] = _ignore
        self._unclear: Callable[[], None] = _ignore
        self._began_at: float | None = None
        self._ignored: set[Place] = set()
        self._down: set[Place] = set()
        self._seen_since: dict[Place, float] = {}
        self._last_seen: set[Place] = set()
        self._last_clear: set[Place] = set()
        self._empty_scans = 0
        self._short: tuple[set[int], float, float] | None = None
        """The columns that were low for all rows, and the times of the first and the latest such scan."""
        self._rescan: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._rows: list[OutputDevice] = []
        self._columns: list[InputPin] = []
        try:
            from gpiozero import OutputDevice

            for pin in rows:
                with named_pin_errors(f"{name}'s row", pin):
                    self._rows.append(OutputDevice(pin, initial_value=False, pin_factory=pins))
            for pin in columns:
                self._columns.append(InputPin(pin, pins=pins, device=f"{name}'s column", edge=self._edge))
        except BaseException:
            self.close()
            raise

    @property
    def down(self) -> frozenset[str]:
        """The labels of the keys that count as pressed now."""
        return frozenset(LEGEND[row][column] for row, column in self._down)

    def start(
        self,
        pressed: Callable[[str], None],
        released: Callable[[str], None],
        cancelled: Callable[[], None],
        unclear: Callable[[], None],
    ) -> None:
        """Start calling *pressed* and *released* with the label of each key.

        *cancelled* is called when the pins can no longer be scanned; then no key counts as pressed, and keys may be
        missed. *unclear* is called when keys go down that may be ghosts, or two in one scan.

        Such a key is ignored until it is released and goes down again, and its release is not reported. So is a key
        that is down within `BEGIN_S` after the start, or after the scan works again.
        """
        self._is_started = True
        self._pressed, self._released, self._cancelled, self._unclear = pressed, released, cancelled, unclear
        self._look()

    def close(self) -> None:
        self._pressed = self._released = self._cancelled = self._unclear = _ignore
        if self._rescan:
            self._rescan.cancel()
        for device in (*self._columns, *self._rows):
            device.close()

    def __repr__(self) -> str:
        names = " ".join(sorted(self.down)) or "nothing"
        return f"<reboard.Keypad object on rows {self._row_pins} and columns {self._column_pins}, {names} down>"

    def _edge(self, _low: bool) -> None:
        self._keep_short()  # hum can be high at each scan
        if self._is_started and not self._rescan:
            self._look()

    def _look(self) -> None:
        self._rescan = None
        try:
            with named_pin_errors(self._name, *self._row_pins, *self._column_pins):
                seen = self._scan()
        except DeviceError as problem:
            self._rescan = self._loop.call_later(RETRY_S, self._look)
            self._fault.set(str(problem))
            self._keep_short()
            self._cancel_all()
            return
        self._update(seen)

    def _cancel_all(self) -> None:
        if self._began_at is not None:
            self._began_at = None
            self._down = self._last_seen = self._last_clear = set()
            self._seen_since = {}
            self._cancelled()

    def _update(self, seen: set[Place]) -> None:
        now = self._loop.time()
        if self._began_at is None:
            self._began_at = now
        if now - self._began_at < BEGIN_S:
            self._ignored = self._ignored | seen
        present = seen | self._last_seen
        self._seen_since = {place: self._seen_since.get(place, now) for place in present}
        shorted = self._shorted_columns(seen)
        self._fault.set(self._short_cause(shorted, now) or self._stuck_cause(now))
        clear = {(row, column) for row, column in seen if column not in shorted}
        up = self._down - clear - self._last_clear
        ghosts = clear - without_ghosts(clear, self._down)
        new_ghosts = ghosts - self._ignored
        # an ignored key does not become a press when another key is released, but when it goes down again. A column
        # that is low in one scan only may have picked up a spark while its key is pressed
        covered = (seen - clear) & (self._last_seen - self._last_clear)
        self._ignored = (self._ignored & present) | ghosts | covered
        candidates = clear - self._ignored - self._down
        new = {
            place for place in candidates & self._last_seen if now - self._seen_since[place] >= PRESS_S - RESOLUTION_S
        }
        if len(new) > 1:  # which of them came first is not known
            self._ignored |= new
            new_ghosts |= new
            new = set()
        self._down = (self._down - up) | new
        self._last_seen, self._last_clear = seen, clear
        self._empty_scans = 0 if seen else self._empty_scans + 1
        if self._empty_scans < UP_AFTER_SCANS or self._fault.cause:
            rescan_s = HUM_S if shorted and self._fault.cause else RESCAN_S
            self._rescan = self._loop.call_later(PRESS_S if candidates - new else rescan_s, self._look)
        else:
            self._empty_scans = 0
        for row, column in sorted(up):
            self._released(LEGEND[row][column])
        for row, column in sorted(new):
            self._pressed(LEGEND[row][column])
        if new_ghosts:
            self._unclear()

    def _scan(self) -> set[Place]:
        for row in self._rows:
            row.pin.function = "input"
        seen = set()
        for number, row in enumerate(self._rows):
            row.pin.output_with_state(False)
            seen |= {(number, place) for place, column in enumerate(self._columns) if column.is_active}
            row.pin.function = "input"
        for row in self._rows:
            row.pin.output_with_state(False)
        return seen

    def _shorted_columns(self, seen: set[Place]) -> set[int]:
        rows = range(len(self._rows))
        return {column for _, column in seen if all((row, column) in seen for row in rows)}

    def _short_cause(self, columns: set[int], now: float) -> str | None:
        if self._short and now - self._short[2] >= SHORT_ENDS_S:
            self._short = None
        if columns:
            earlier, since, _ = self._short or (set(), now, now)
            self._short = earlier | columns, since, now
        if self._short is None or self._short[2] - self._short[1] < SHORT_S:
            return None
        where = " and ".join(f"column GPIO{self._column_pins[column]}" for column in sorted(self._short[0]))
        return translatable(
            f"something pulls {where} low, so keys may be missed: check the wiring for a short to ground, and keep the "
            "wires away from motors and mains"
        )

    def _keep_short(self) -> None:
        if self._short and self._fault.cause:
            self._short = *self._short[:2], self._loop.time()

    def _stuck_cause(self, now: float) -> str | None:
        stuck = sorted(place for place, since in self._seen_since.items() if now - since >= STUCK_S)
        if not stuck:
            return None
        keys = " and ".join(LEGEND[row][column] for row, column in stuck)
        pins = ", ".join(f"GPIO{self._row_pins[row]} to GPIO{self._column_pins[column]}" for row, column in stuck)
        if len(stuck) > 1:
            return translatable(
                f"the keys {keys} have been down for {STUCK_S:.0f} s: take away what presses them, or check the wiring "
                f"for a short ({pins})"
            )
        return translatable(
            f"the key {keys} has been down for {STUCK_S:.0f} s: take away what presses it, or check the wiring for a "
            f"short ({pins})"
        )


class AbsentKeypad(Absent):
    """The stand-in for a keypad that the config leaves out. It never reports a key."""

    down: frozenset[str] = frozenset()
    start = nothing


Fitted = FittedDevice[KeypadConfig, Keypad | AbsentKeypad]


class KeypadKind(DeviceKind[KeypadConfig, Keypad | AbsentKeypad]):
    """The device kind of keypads with sixteen keys."""

    name = "keypad"
    absent = AbsentKeypad
    has_heading = True

    def pins(self, config: KeypadConfig) -> Mapping[str, int]:
        rows = {f"row_{place}": pin for place, pin in enumerate(config.rows, start=1)}
        return rows | {f"column_{place}": pin for place, pin in enumerate(config.columns, start=1)}

    def describe(self, config: KeypadConfig | None) -> str:
        return f"rows on {pin_list(config.rows)}, columns on {pin_list(config.columns)}" if config else "none"

    def open_driver(self, config: KeypadConfig, name: str, board: Board, emit: Emit) -> Keypad:
        return Keypad(config.rows, config.columns, pins=board.pins, emit=emit, name=name)

    async def try_out(self, device: Fitted, work: TryOut) -> dict[str, object]:
        rows, columns = _known_pins(device, work)
        is_known = False
        if rows and columns:
            work.prompts.say(
                f"The keypad's rows should be on {pin_list(rows)}, and its columns on {pin_list(columns)}."
            )
            is_known = await work.prompts.yes(
                "Is it wired like that? Answer n to find its pins by pressing seven keys."
            )
        while True:
            if not is_known:
                rows, columns = await find_rows_and_columns(work, device.label, LEGEND)
            if await _all_keys_work(work, rows, columns):
                return {"rows": list(rows), "columns": list(columns)}
            is_known = False


def _known_pins(device: Fitted, work: TryOut) -> tuple[Sequence[int], Sequence[int]]:
    if present := work.setting(device.label):
        return present["rows"], present["columns"]
    return (device.usual.rows, device.usual.columns) if device.usual else ((), ())


async def _all_keys_work(work: TryOut, rows: Sequence[int], columns: Sequence[int]) -> bool:
    """Let the user press every key, and return whether to keep these pins.

    The pins are kept if every key works, or if the user accepts that some do not.
    """
    prompts = work.prompts
    left = [key for row in LEGEND for key in row]
    all_pressed = asyncio.Event()

    def press(key: str) -> None:
        row = next(number for number, keys in enumerate(LEGEND) if key in keys)
        column = LEGEND[row].index(key)
        prompts.show(f"  {key:<4}  row {row + 1} (GPIO{rows[row]}), column {column + 1} (GPIO{columns[column]})")
        with suppress(ValueError):
            left.remove(key)
        if not left:
            all_pressed.set()

    try:
        with closing(Keypad(rows, columns, pins=work.board.pins)) as keypad:
            keypad.start(press, lambda _: None, lambda: None, lambda: None)
            await prompts.until("Press every key once, in any order. Press Enter to finish.", all_pressed.wait())
    except DeviceError as problem:
        prompts.say(f"{problem}")
        return False
    if not left:
        prompts.say("Every key works.")
        return True
    prompts.say(f"Not pressed, or not detected: {' '.join(left)}.")
    question = "Use the keypad anyway? Answer n to find its pins by pressing seven keys."
    return await prompts.yes(question, default=len(left) < len(LEGEND) ** 2)


KEYPAD = KeypadKind()
