"""A card slot, and the base class of slots whose reader is on a port."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar

from reboard.devices.readers.presence import Presence
from reboard.devices.readers.reader_port import ReaderPort
from reboard.events import Emit, FaultState

P = TypeVar("P", bound=ReaderPort[Any])


class Slot(Protocol):
    """A card slot with a reader of any kind.

    A *tag* is the name of a card: 4 to 20 capital hex digits (``62E3086CED``), or ``bumps-5`` for an original card.
    Callbacks run on the event loop; insertions and removals alternate.
    """

    @property
    def description(self) -> str:
        """The reader and its place: ``RDM6300 on /dev/ttyAMA0``."""

    @property
    def statistics(self) -> str:
        """Counts of the frames and the noise that the reader sent: ``12 frames, 57 stray bytes``."""

    @property
    def tag(self) -> str | None:
        """The card that is in the slot now."""

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Start reading. A missing reader is a ``fault`` event, and is used as soon as it is connected."""

    def done(self) -> None:
        """Take note that the card's payment is done.

        A reader that cannot notice a removal removes the card soon; other readers wait until it is taken out.
        """

    def in_use(self, on: bool) -> None:
        """Take note that the players use the card, or (false) that they have just finished an input with it.

        A reader that cannot notice a removal does not remove a card that is in use, and counts its time from the end.
        """

    def forget(self, tag: str) -> bool:
        """Take the card *tag* out, because it is certainly elsewhere now, and return whether it was in.

        The removal is not reported. A reader that notices removals ignores this and returns false.
        """

    def close(self) -> None:
        """Stop reading and release the port or pins. Can be called twice."""


class Decoder(Protocol):
    """Finds tags in bytes, and counts."""

    @property
    def statistics(self) -> str:
        """The counters, in words."""


class PortSlot(ABC, Generic[P]):
    """A `Slot` whose reader is on a port. Each kind of reader is a subclass with its own `_tags_in`.

    *model* is the reader's name and *path* its device file. *port* makes the `ReaderPort`; it is called with that
    class's three callbacks. *decoder* counts for `statistics`. *name* is its name in faults.
    """

    def __init__(
        self,
        model: str,
        path: str,
        port: Callable[..., P],
        *,
        decoder: Decoder,
        presence: Presence,
        emit: Emit,
        name: str,
    ) -> None:
        self._model = model
        self._path = path
        self._decoder = decoder
        self._presence = presence
        self._fault = FaultState(name, emit)
        self._port = port(received=self._received, opened=self._opened, lost=self._lost)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._path} tag={self.tag}, {self.statistics}>"

    @property
    def description(self) -> str:
        return f"{self._model} on {self._path}"

    @property
    def statistics(self) -> str:
        return self._decoder.statistics

    @property
    def tag(self) -> str | None:
        return self._presence.tag

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        self._presence.start(inserted, removed)
        self._port.start()

    def done(self) -> None:
        self._presence.done()

    def in_use(self, on: bool) -> None:
        self._presence.in_use(on)

    def forget(self, tag: str) -> bool:
        return self._presence.forget(tag)

    def close(self) -> None:
        self._port.close()
        self._presence.close()

    @abstractmethod
    def _tags_in(self, data: bytes) -> Iterable[str]:
        """Yield the tags of the cards that *data* reports."""

    def _received(self, data: bytes) -> None:
        for tag in self._tags_in(data):
            self._presence.seen(tag)

    def _opened(self) -> None:
        self._fault.set(None)

    def _lost(self, cause: str) -> None:
        self._fault.set(cause)
        self._presence.lost()
