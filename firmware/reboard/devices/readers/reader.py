"""A card slot, and the one whose reader is on a port."""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from reboard.devices.readers.presence import Presence
from reboard.devices.readers.reader_port import SEE_HOLDERS, ReaderPort
from reboard.events import Emit, FaultState
from reboard.languages import translatable
from reboard.record import Record

P = TypeVar("P", bound=ReaderPort[Any])

MOST_DROPPED = 3
DROPPED_S = 2.0
"""A reader that drops `MOST_DROPPED` frames in a row, over at least this time in seconds, has a fault."""

PATIENCE_S = 30.0
"""The silence in seconds after which dropped frames no longer count as being in a row."""

TAKEN_S = 10.0
"""The time in seconds for which a reader has a fault after another program read its port."""

TEXT = (*range(32, 127), *b"\r\n")
"""The bytes that a message shows as text."""

MOST_SHOWN_BYTES = 16
"""The maximum number of bytes of a reader that a message shows."""


class CardType(Record):
    """A type of card, as a kind of reader reads it.

    *reads* names the cards, *tag* is the pattern of their tags, and *words* describes a tag. *ending* returns the hex
    digits at the end of the tag that has another spelling, such as the number printed on a card, and otherwise ``""``.
    *tags* has all tags if they are no hex digits. If a type *depends_on_maker*, its readers read other cards or tags.
    """

    reads: str
    tag: re.Pattern[str]
    words: str
    ending: Callable[[str], str] = lambda written: ""
    tags: tuple[str, ...] = ()
    depends_on_maker: bool = False

    def is_same(self, written: str, tag: str) -> bool:
        """Return whether *written* in a config is another spelling of *tag*, which a reader reported."""
        ending = self.ending(written)
        return bool(ending) and self.tag.fullmatch(tag) is not None and tag.endswith(ending)


class Reception:
    """Counts of what a reader sent: bytes, valid and dropped frames, and the latest card.

    *advice* is an instruction for the user, or ``""``. A reader that is not on a port calls `card` and sets the counts.
    """

    def __init__(self) -> None:
        self._now = asyncio.get_running_loop().time
        self.bytes = self.frames = self.dropped = 0
        self.latest = b""
        self.tag: str | None = None
        self.advice = ""
        self._tag_at = self._heard_at = self._dropped_at = 0.0
        self._dropped_before = 0

    def add(self, data: bytes) -> None:
        """Count bytes of the reader."""
        now = self._now()
        if now > self._heard_at + PATIENCE_S:
            self._dropped_before = self.dropped
        self._heard_at = now
        self.bytes += len(data)
        self.latest = (self.latest + data)[-MOST_SHOWN_BYTES:]

    def count(self, frames: int, dropped: int) -> None:
        """Set the numbers of valid and dropped frames."""
        if frames > self.frames:
            self._dropped_before = dropped
        elif dropped > self.dropped == self._dropped_before:
            self._dropped_at = self._now()
        self.frames, self.dropped = frames, dropped

    def card(self, tag: str) -> None:
        """Record that the reader read the card *tag*."""
        self.tag, self._tag_at = tag, self._now()

    @property
    def is_unreadable(self) -> bool:
        """Whether the reader has sent only invalid data for a while."""
        is_for_a_while = self._now() >= self._dropped_at + DROPPED_S
        return is_for_a_while and self.dropped >= self._dropped_before + MOST_DROPPED

    @property
    def silence_s(self) -> float:
        """The time since the latest bytes, in seconds."""
        return self._now() - self._heard_at

    def report(self) -> dict[str, object]:
        """Return the counts as a JSON-serializable dictionary. ``tag_s`` is the time since the latest card."""
        return {
            "bytes": self.bytes,
            "frames": self.frames,
            "dropped": self.dropped,
            "tag": self.tag,
            "tag_s": None if self.tag is None else round(self._now() - self._tag_at, 1),
            "advice": self.advice,
        }

    def __str__(self) -> str:
        return words_of(self.report())


def words_of(report: Mapping[str, Any]) -> str:
    """Return the report of a `Reception` as text: ``214 bytes, 15 frames, 3 dropped; last card 62E3086CED 4 s ago``."""
    counts = f"{report['bytes']} bytes, {report['frames']} frames, {report['dropped']} dropped"
    return f"{counts}; last card {report['tag']} {report['tag_s']:.0f} s ago" if report["tag"] else f"{counts}; no card"


class Slot(ABC):
    """A card slot with a reader of any kind.

    A *tag* identifies a card: 4 to 20 capital hex digits (``62E3086CED``), or ``bumps-5`` for an original card. The
    event loop calls the callbacks. *presence* detects insertions and removals, and *name* is the slot's name in faults.
    """

    def __init__(self, presence: Presence, emit: Emit, name: str) -> None:
        self._presence = presence
        self._fault = FaultState(name, emit)
        self._loop = asyncio.get_running_loop()
        self._heard = Reception()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.description} tag={self.tag}, {self.heard}>"

    @property
    @abstractmethod
    def description(self) -> str:
        """The reader and its port or pins: ``RDM6300 on /dev/ttyAMA0``."""

    @property
    def heard(self) -> Reception:
        """The counts of what the reader sent."""
        return self._heard

    @property
    def tag(self) -> str | None:
        """The tag of the card that is in the slot, or ``None`` if there is no card."""
        return self._presence.tag

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Start reading, and call *inserted* and *removed* with the tag of each card.

        A missing reader causes a ``fault`` event. The slot uses the reader as soon as it is connected.
        """
        self._presence.start(inserted, removed)

    def touched(self) -> None:
        """Report to the slot that a player pressed a key, or tapped a card at another slot.

        If the reader cannot detect a removal, the slot removes the card `TAPPED_S` (10 s) after the last such report or
        tap. A reader that rests looks for cards as often as before. Otherwise this does nothing.
        """
        self._presence.touched()

    def forget(self, tag: str) -> bool:
        """Remove the card *tag* without calling *removed*, and return whether it was in the slot.

        Call this if the card's business is done, or if it has certainly left the slot, for example because another slot
        reads it. If the reader detects removals, this does nothing and returns false.
        """
        return self._presence.forget(tag)

    def close(self) -> None:
        """Stop reading and release the port or pins. Can be called more than once."""
        self._presence.close()


class Decoder(Protocol):
    """A decoder of the bytes of a reader, which counts the valid frames and what it drops, in frames."""

    @property
    def frames(self) -> int:
        """The number of valid frames."""

    @property
    def dropped(self) -> int:
        """The number of dropped frames."""

    @property
    def stray_bytes(self) -> int:
        """The number of bytes that are in no valid frame."""

    def feed(self, data: bytes, /) -> list[Any]:
        """Return the tags whose frame ends in *data*, in order, or what `PortSlot._tags_in` takes instead."""


class PortSlot(Slot, Generic[P]):
    """A slot whose reader is on a *port*. *model* is the reader's name, and *decoder* finds its tags.

    A reader that sends only invalid data for a while has a fault, until it reads a card. So has a reader whose port
    another program reads.
    """

    def __init__(self, model: str, port: P, decoder: Decoder, presence: Presence, emit: Emit, name: str) -> None:
        super().__init__(presence, emit, name)
        self._model = model
        self._port = port
        self._decoder = decoder
        self._taken_at = -TAKEN_S
        self._timer: asyncio.TimerHandle | None = None

    @property
    def description(self) -> str:
        return f"{self._model} on {self._port.path}"

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        super().start(inserted, removed)
        self._port.start(self)

    def close(self) -> None:
        self._port.close()
        self._stop_timer()
        super().close()

    def _tags_in(self, data: bytes) -> Iterable[str]:
        """Yield the tags that *data* from the reader contains."""
        return self._decoder.feed(data)

    def _what_it_sends(self) -> str:
        """Return the latest data of the reader and a remedy, for the fault of a reader that sends no valid frame."""
        latest = self.heard.latest
        if all(byte in TEXT for byte in latest):
            return translatable(
                f'but "{str(latest)[2:-1]}": set it to another format, or correct `reader` in the config'
            )
        sent, holders = latest.hex(" ").upper(), self._port.holders()
        return translatable(
            f"but {sent}: check its wires to the port and to ground, and `reader` in the config{holders}"
        )

    def received(self, data: bytes) -> None:
        self.heard.add(data)
        is_read, stray_bytes = False, self._decoder.stray_bytes
        for tag in self._tags_in(data):
            self.heard.card(tag)
            self._presence.seen(tag)
            is_read = True
        if self._decoder.stray_bytes > stray_bytes:
            self._presence.damaged()
        self.heard.count(self._decoder.frames, self._decoder.dropped)
        if is_read:
            self._read_well()
        elif self.heard.is_unreadable and self._fault.cause is None:
            self._fault.set(
                translatable(f"the reader on {self._port.path} sends no valid card, {self._what_it_sends()}")
            )

    def _read_well(self) -> None:
        if self._loop.time() >= self._taken_at + TAKEN_S:
            self._fault.set(None)

    def taken(self) -> None:
        is_news = self._loop.time() >= self._taken_at + TAKEN_S
        self._taken_at = self._loop.time()
        if is_news:
            holders = self._port.holders() or f". {SEE_HOLDERS}"
            self._fault.set(
                translatable(f"another program reads {self._port.path}, too, so that no card is read reliably{holders}")
            )

    def opened(self) -> None:
        self._fault.set(None)

    def lost(self, cause: str) -> None:
        self._stop_timer()
        self._fault.set(cause)
        self._presence.lost()

    def _call_later(self, after_s: float, callback: Callable[..., None], *args: object) -> None:
        """Set the timer of this slot, the only one, which stops when the port is lost or closed."""
        self._stop_timer()
        self._timer = self._loop.call_later(after_s, callback, *args)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
