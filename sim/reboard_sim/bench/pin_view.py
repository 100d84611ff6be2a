"""The signals of a table for the bench's view "Inside": pins, card readers, display buses, sound, events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, Protocol, TypeVar

from reboard.board import SAMPLE_BYTES
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.sounds.wav_file import audioop
from reboard_sim.board.i2c import Written
from reboard_sim.board.input_device import Report
from reboard_sim.board.line import Tape
from reboard_sim.board.serial_line import Transmission
from reboard_sim.board.sound_card import BLOCK_SAMPLES
from reboard_sim.devices.displays.virtual_display import DisplayDecoder, VirtualDisplay
from reboard_sim.devices.readers.frame_decoders import Piece, as_hex, as_written
from reboard_sim.devices.readers.virtual_reader import VirtualReader
from reboard_sim.recording import LoggedEvent
from reboard_sim.seen_table import SeenTable
from reboard_sim.virtual_pi import VirtualPi

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

HISTORY_S = 60.0
"""The duration of the history that the first message covers, in seconds."""

DIGITS = 9
"""The number of decimal places of times for the page, which are in seconds. The virtual clock resolves 1 ns."""

MOST_AT_ONCE = 3000
"""The maximum number of items from one source, such as the edges of one line, in one message."""

PEAKS_PER_BLOCK = 8
PEAK_BYTES = BLOCK_SAMPLES // PEAKS_PER_BLOCK * SAMPLE_BYTES
"""The number of bytes in 2.5 ms of sound. A message has only the lowest and the highest sample of each 2.5 ms."""


class Remembered(Protocol[T_co]):
    """The interface of a history such as `reboard_sim.board.line.Tape`, which also defines a place."""

    def news(self, place: int, /) -> tuple[Sequence[T_co], int]:
        """Return the kept items from *place* on, and the place of the next item."""


@dataclass(frozen=True)
class Passed:
    """The signals from *since* to *t*, in seconds of the table's clock, as `InsideView.collect` returns them.

    *since* is ``None`` in the first call for a table. *zero* is the time at which the table was created. The page shows
    all times relative to *zero*. *wires* maps each pin name to a GPIO number. *edges* maps each pin name to pairs of a
    time and a duty cycle from 0 to 1. The duty cycle is ``None`` if it is unknown until the next edge.
    """

    zero: float
    t: float
    since: float | None
    wires: dict[str, int]
    edges: dict[str, list[tuple[float, float | None]]]
    serial: list[tuple[SlotLine, Sequence[Transmission | Report]]]
    display: Sequence[Written]
    sound: Sequence[tuple[float, bytes]]
    events: Sequence[LoggedEvent]


class InsideView:
    """A view of the signals inside a table, for one page.

    The view remains valid when the wiring changes. Call `collect` in the thread of the table. Call `as_json` in another
    thread, because it is slow.
    """

    def __init__(self) -> None:
        self._places: dict[Remembered[Any], int] = {}
        self._next_places: dict[Remembered[Any], int] = {}
        self._table: SeenTable | None = None
        self._pi: VirtualPi | None = None
        self._lines: list[SlotLine] = []
        self._displays: dict[int, DisplayDecoder] = {}
        self._since: float | None = None
        self._last_sound_at = 0.0
        self._known_wires: dict[str, int] = {}

    def collect(self, table: SeenTable, now: float) -> Passed:
        """Return the signals of *table* since the previous call. *now* is the time of the table's clock, in seconds.

        The first call for a table returns the signals of the last minute. At most `MOST_AT_ONCE` items per source are
        returned.
        """
        if table is not self._table:
            self._table, self._since, self._known_wires = table, None, {}
        pi = table.pi
        if pi is not self._pi:
            self._pi, self._lines = pi, slot_lines(pi)
            displays = (device for device in pi.devices.values() if isinstance(device, VirtualDisplay))
            self._displays = {display.address: display.decoder() for display in displays}
        self._next_places = {}
        wires = pi.wires()
        since = self._since
        # a real table reports some signals late
        oldest = now - HISTORY_S if since is None else 0.0
        if since is None:
            self._last_sound_at = oldest
        sound = table.sound_card.blocks_after(self._last_sound_at)[-MOST_AT_ONCE:]
        if sound:
            self._last_sound_at, _ = sound[-1]
        passed = Passed(
            zero=table.made_at,
            t=now,
            since=since,
            wires={name: int(line.name.removeprefix("GPIO")) for name, line in wires.items()},
            edges={name: self._edges(line.timeline, oldest) for name, line in wires.items()},
            serial=[(line, self._latest(line.tape, oldest)) for line in self._lines],
            display=[one for bus in pi.buses.values() for one in self._latest(bus, oldest)],
            sound=sound,
            events=[event for event in self._news(table.log.tape)[0] if float(str(event["t"])) >= oldest],
        )
        self._since, self._places = now, self._next_places
        return passed

    def as_json(self, passed: Passed) -> dict[str, Any] | None:
        """Return the signals as a JSON object, or ``None`` if there are none and no time has passed."""

        def since_zero(t: float) -> float:
            return round(t - passed.zero, DIGITS)

        news: dict[str, Any] = {
            "edges": {
                name: [(since_zero(t), duty) for t, duty in edges] for name, edges in passed.edges.items() if edges
            },
            "serial": sorted((line.row(one) for line, sent in passed.serial for one in sent), key=itemgetter("t")),
            "display": [
                {**asdict(row), "bus": as_hex(bytes(row.bus)), "taken": as_hex(bytes(row.taken))}
                for address, transfers in groupby(passed.display, key=attrgetter("address"))
                for row in self._displays.setdefault(address, DisplayDecoder()).feed(transfers)
            ],
            "sound": [[since_zero(t), list(peaks(samples))] for t, samples in passed.sound],
            "events": [dict(event) for event in passed.events],
        }
        for row in (*news["serial"], *news["display"], *news["events"]):
            row["t"] = since_zero(row["t"])
        news = {name: value for name, value in news.items() if value}
        news |= {"begins": True} if passed.since is None else {}
        if passed.wires != self._known_wires:
            self._known_wires = passed.wires
            news["wires"] = [{"name": name, "pin": pin} for name, pin in passed.wires.items()]
        return {"t": since_zero(passed.t), **news} if news or passed.t != passed.since else None

    def _news(self, tape: Remembered[T]) -> tuple[Sequence[T], bool]:
        # also returns whether something before the latest is left out
        place = self._places.get(tape, 0)
        items, end = tape.news(place)
        self._next_places[tape] = end
        latest = items[-MOST_AT_ONCE:]
        return latest, len(latest) < end - place

    def _latest(self, tape: Remembered[Any], oldest: float) -> list[Any]:
        return [one for one in self._news(tape)[0] if one.t >= oldest]

    def _edges(self, timeline: Remembered[tuple[float, float]], oldest: float) -> list[tuple[float, float | None]]:
        # with the edge before *oldest*; a duty of ``None`` is no longer known
        edges, is_cut = self._news(timeline)
        if self._since is None:
            before = sum(t < oldest for t, _ in edges)
            return list(edges[max(0, before - 1) :])
        return [(self._since, None), *edges] if is_cut else list(edges)


def peaks(samples: bytes) -> Iterator[int]:
    """Yield the lowest and then the highest sample of each 2.5 ms. *samples* are 16-bit signed, little-endian."""
    for place in range(0, len(samples), PEAK_BYTES):
        yield from audioop.minmax(samples[place : place + PEAK_BYTES], SAMPLE_BYTES)


@dataclass(frozen=True)
class SlotLine:
    """The data line between the Pi and the card reader in a *slot*.

    *model* is the reader's name for users. *tape* has the transmissions, or the reports of a USB reader. *decode*
    splits one of them into pieces.
    """

    slot: str
    model: str
    tape: Tape[Any]
    decode: Callable[[Any], Iterable[Piece]]

    def row(self, sent: Transmission | Report) -> dict[str, Any]:
        """Return the transmission or report *sent* as a JSON object, with its decoded pieces."""
        pieces = self.decode(sent)
        if sent.is_lost:
            written = as_hex(sent.data) if isinstance(sent, Transmission) else as_written(sent.changes)
            pieces = [Piece(written, "lost: the firmware is not reading", is_bad=True)]
        return {
            "t": sent.t,
            "line": self.slot,
            "model": self.model,
            "by": sent.by if isinstance(sent, Transmission) else "reader",
            "pieces": [asdict(piece) for piece in pieces],
        }


def slot_lines(pi: VirtualPi) -> list[SlotLine]:
    """Return the data lines of the card readers. Omit slots for the original cards, whose contacts are on pins."""
    lines = []
    for device in pi.config.devices():
        reader = pi.devices.get(device.label)
        if device.config and isinstance(reader, VirtualReader) and reader.tape is not None:
            title = READER_KINDS[device.config.reader].title
            lines.append(SlotLine(device.noun, title, reader.tape, reader.decoder()))
    return lines
