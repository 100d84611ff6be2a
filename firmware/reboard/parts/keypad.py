"""The keypad: sixteen keys in a matrix of four rows and four columns, scanned only while a key is down.

At rest every row is driven low and every column pulled up, so that any key makes an edge and nothing polls. An edge
starts a scan: one row low at a time, the others let go (inputs, so that two keys never join two outputs).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence, Set

from gpiozero import Factory, OutputDevice

from reboard.errors import PartError
from reboard.events import Emit, to_nobody
from reboard.parts.wire import InputWire, naming
from reboard.trouble import Trouble

LEGEND = (
    ("1", "2", "3", "K"),
    ("4", "5", "6", "M"),
    ("7", "8", "9", "C"),
    (".", "0", "GO", "DEAL"),
)
"""What is printed on the keys: rows from top to bottom, columns from left to right."""

RESCAN_S = 0.02
RETRY_S = 1.0
"""How long pins that failed are left alone before the next scan."""

UP_AFTER_SCANS = 2
"""A key is up when this many scans in a row did not see it; so long, too, is scanned after the last was seen."""

SHORT_AFTER_SCANS = 50
"""A column that is low in so many scans (1 s) whatever row is driven is not a palm but a short."""

Place = tuple[int, int]
"""A key's row and column, each from 0."""


def without_doubtful(seen: Set[Place], down: Set[Place]) -> set[Place]:
    """The places of *seen* where a key is surely down, given those that were *down* before.

    Three keys at three corners of a rectangle join its wires as the fourth would: all four are seen, and of those
    only the ones that were down before can be told from the ghost.
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


def _to_nobody(*_: str) -> None:
    """Whom a keypad tells that was not started, or was closed."""


class Keypad:
    """Sixteen keys, any number of them at once as far as a matrix without diodes can tell.

    *rows* and *columns* are four pins each, in the order of `LEGEND`. A column that stays low whatever row is
    driven is told as ``fault``, and ``recovered``, and so are pins that cannot be scanned any more; while they cannot,
    no key is down. Raises `PartError` when a pin cannot be had.
    """

    def __init__(self, rows: Sequence[int], columns: Sequence[int], *, pins: Factory, emit: Emit = to_nobody) -> None:
        if len(rows) != len(LEGEND) or len(columns) != len(LEGEND[0]):
            raise ValueError(f"a keypad has 4 rows and 4 columns, not {len(rows)} and {len(columns)}")
        self._row_pins, self._column_pins = tuple(rows), tuple(columns)
        self._trouble = Trouble("keypad", emit)
        self._is_started = False
        self._pressed: Callable[[str], None] = _to_nobody
        self._released: Callable[[str], None] = _to_nobody
        self._called_off: Callable[[], None] = _to_nobody
        self._unclear: Callable[[], None] = _to_nobody
        self._doubtful: set[Place] = set()
        self._is_blind = False
        self._down: set[Place] = set()
        self._last_seen: set[Place] = set()
        self._scans_unseen = 0
        self._scans_shorted = 0
        self._rescan: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._rows: list[OutputDevice] = []
        self._columns: list[InputWire] = []
        try:
            for pin in rows:
                with naming("keypad's row", pin):
                    self._rows.append(OutputDevice(pin, initial_value=False, pin_factory=pins))
            for pin in columns:
                self._columns.append(InputWire(pin, pins=pins, part="keypad's column", edge=self._edge))
        except BaseException:
            self.close()
            raise

    @property
    def down(self) -> frozenset[str]:
        """The keys that are down now."""
        return frozenset(LEGEND[row][column] for row, column in self._down)

    def start(
        self,
        pressed: Callable[[str], None],
        released: Callable[[str], None],
        called_off: Callable[[], None],
        unclear: Callable[[], None],
    ) -> None:
        """Tell every key that goes down and up from now on; one that is held now is told at once.

        When the pins cannot be scanned, *called_off* tells that whatever is held counts no more. What is down when
        they can be again was pressed unseen, or before: only its release is told. *unclear* tells that keys went down
        which cannot be told from one another: none of them is pressed until it goes down anew.
        """
        self._is_started = True
        self._pressed, self._released, self._called_off, self._unclear = pressed, released, called_off, unclear
        self._look()

    def close(self) -> None:
        """Give the pins back; no key is told any more. May be called twice."""
        self._pressed = self._released = self._called_off = self._unclear = _to_nobody
        if self._rescan:
            self._rescan.cancel()
        for wire in (*self._columns, *self._rows):
            wire.close()

    def __repr__(self) -> str:
        names = " ".join(sorted(self.down)) or "nothing"
        return f"<reboard.Keypad object on rows {self._row_pins} and columns {self._column_pins}, {names} down>"

    def _edge(self, _low: bool) -> None:
        if self._is_started and not self._rescan:
            self._look()

    def _look(self) -> None:
        self._rescan = None
        try:
            with naming("keypad", *self._row_pins, *self._column_pins):
                everything = self._scan()
        except PartError as problem:
            self._rescan = self._loop.call_later(RETRY_S, self._look)
            self._trouble.tell(str(problem))
            self._lose_sight()
            return
        self._take_in(everything)

    def _lose_sight(self) -> None:
        if not self._is_blind:
            self._is_blind = True
            self._down = set()
            self._called_off()

    def _take_in(self, everything: set[Place]) -> None:
        shorted = self._shorted_columns(everything)
        self._trouble.tell(self._lasting_short(shorted))
        seen = {(row, column) for row, column in everything if column not in shorted}
        if self._is_blind:
            self._is_blind = False
            self._down = seen
        up = self._down - seen - self._last_seen
        doubtful = seen - without_doubtful(seen, self._down)
        news = doubtful - self._doubtful
        # one that was doubtful is not pressed as soon as another finger lifts, but when it goes down again
        self._doubtful = doubtful | (self._doubtful & (seen | self._last_seen))
        new = seen - self._doubtful - self._down
        self._down = (self._down - up) | new
        self._last_seen = seen
        self._scans_unseen = 0 if everything else self._scans_unseen + 1
        if self._scans_unseen < UP_AFTER_SCANS:
            self._rescan = self._loop.call_later(RESCAN_S, self._look)
        else:
            self._scans_unseen = 0
        for row, column in sorted(up):
            self._released(LEGEND[row][column])
        for row, column in sorted(new):
            self._pressed(LEGEND[row][column])
        if news:
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
        """The columns that are low whatever row is driven."""
        rows = range(len(self._rows))
        return {column for _, column in seen if all((row, column) in seen for row in rows)}

    def _lasting_short(self, columns: set[int]) -> str | None:
        """What is to be told of shorted *columns*: nothing as long as it may be a palm."""
        self._scans_shorted = self._scans_shorted + 1 if columns else 0
        if self._scans_shorted < SHORT_AFTER_SCANS:
            return None
        where = " and ".join(f"GPIO{self._column_pins[column]}" for column in sorted(columns))
        return f"column {where} is low all the time: a short to ground?"
