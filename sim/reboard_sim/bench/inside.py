"""What passes inside a virtual table: its pins, serial lines, display's bus and sound, for whoever looks in."""

from __future__ import annotations

import audioop
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from typing import Any, Protocol, TypeVar

from reboard.board import SAMPLE_BYTES
from reboard_sim.bench.slot_lines import SlotLine, slot_lines
from reboard_sim.decoders.display_bytes import DisplayDecoder
from reboard_sim.decoders.piece import as_hex
from reboard_sim.event_log import Told
from reboard_sim.i2c import Written
from reboard_sim.input_device import Report
from reboard_sim.serial_line import Transmission
from reboard_sim.sound_card import BLOCK_SAMPLES
from reboard_sim.virtual_pi import VirtualPi
from reboard_sim.virtual_table import VirtualTable

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

LOOKS_BACK_S = 60.0
"""So much of the past is told first."""

MOST_AT_ONCE = 3000
"""No more than so many of the latest edges of one wire, and of anything else, are told at a time."""

PEAKS_PER_BLOCK = 8
PEAK_BYTES = BLOCK_SAMPLES // PEAKS_PER_BLOCK * SAMPLE_BYTES
"""Sound is told as the lowest and the highest sample of every 2.5 ms."""


class Remembered(Protocol[T_co]):
    """A `reboard_sim.tape.Tape`, or what is read like one."""

    def news(self, place: int, /) -> tuple[Sequence[T_co], int]:
        """What came from *place* on and is still kept, and the place to ask from the next time."""


@dataclass(frozen=True)
class Passed:
    """What passed until *t* seconds since one looked before, at *since*, as it was remembered."""

    t: float
    since: float | None
    wires: dict[str, int]
    edges: dict[str, list[tuple[float, float | None]]]
    serial: list[tuple[SlotLine, Sequence[Transmission | Report]]]
    display: Sequence[Written]
    sound: Sequence[tuple[float, bytes]]
    events: Sequence[Told]


class InsideLook:
    """One pair of eyes: each time it looks it takes in what passed since the time before, at first the last minute.

    It follows a table that is rewired, whose wires are then others. `take_in` belongs to the table's thread; `told`,
    which has the work, to any.
    """

    def __init__(self) -> None:
        self._places: dict[Remembered[Any], int] = {}
        self._next_places: dict[Remembered[Any], int] = {}
        self._pi: VirtualPi | None = None
        self._lines: list[SlotLine] = []
        self._display = DisplayDecoder()
        self._since: float | None = None
        self._told_wires: dict[str, int] = {}

    def take_in(self, table: VirtualTable, now: float) -> Passed:
        """What passed until *now*."""
        pi = table.pi
        if pi is not self._pi:
            self._pi, self._lines = pi, slot_lines(pi)
        self._next_places = {}
        wires = pi.wires()
        since = self._since
        oldest = now - LOOKS_BACK_S if since is None else since
        passed = Passed(
            t=now,
            since=since,
            wires={name: int(line.name.removeprefix("GPIO")) for name, line in wires.items()},
            edges={name: self._edges(line.timeline, oldest) for name, line in wires.items()},
            serial=[(line, self._latest(line.tape, oldest)) for line in self._lines],
            display=[one for bus in pi.buses.values() for one in self._latest(bus, oldest)],
            sound=table.sound_card.blocks_after(oldest)[-MOST_AT_ONCE:],
            events=[told for told in self._news(table.log.tape)[0] if float(str(told["t"])) >= oldest],
        )
        self._since, self._places = now, self._next_places
        return passed

    def told(self, passed: Passed) -> dict[str, Any] | None:
        """It as JSON; ``None`` when nothing passed, not even time."""
        news: dict[str, Any] = {
            "edges": {name: edges for name, edges in passed.edges.items() if edges},
            "serial": sorted((line.row(one) for line, sent in passed.serial for one in sent), key=itemgetter("t")),
            "display": [
                {**asdict(row), "bus": as_hex(bytes(row.bus)), "taken": as_hex(bytes(row.taken))}
                for row in self._display.feed(passed.display)
            ],
            "sound": [[t, list(peaks(samples))] for t, samples in passed.sound],
            "events": list(passed.events),
        }
        news = {name: value for name, value in news.items() if value}
        news |= {"begins": True} if passed.since is None else {}
        if passed.wires != self._told_wires:
            self._told_wires = passed.wires
            news["wires"] = [{"name": name, "pin": pin} for name, pin in passed.wires.items()]
        return {"t": passed.t, **news} if news or passed.t != passed.since else None

    def _news(self, tape: Remembered[T]) -> tuple[Sequence[T], bool]:
        """What came on *tape*, no more than is told at once, and whether something before that is left out."""
        place = self._places.get(tape, 0)
        items, end = tape.news(place)
        self._next_places[tape] = end
        latest = items[-MOST_AT_ONCE:]
        return latest, len(latest) < end - place

    def _latest(self, tape: Remembered[Any], oldest: float) -> list[Any]:
        return [one for one in self._news(tape)[0] if one.t >= oldest]

    def _edges(self, timeline: Remembered[tuple[float, float]], oldest: float) -> list[tuple[float, float | None]]:
        """The changes of a wire, with the one before *oldest*; a duty of ``None`` is one that nobody knows any more."""
        edges, is_cut = self._news(timeline)
        if self._since is None:
            before = sum(t < oldest for t, _ in edges)
            return list(edges[max(0, before - 1) :])
        return [(self._since, None), *edges] if is_cut else list(edges)


def peaks(samples: bytes) -> Iterator[int]:
    """The lowest and the highest sample of each 2.5 ms of s16le *samples*, one after the other."""
    for place in range(0, len(samples), PEAK_BYTES):
        yield from audioop.minmax(samples[place : place + PEAK_BYTES], SAMPLE_BYTES)
