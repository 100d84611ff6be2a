"""The interface of a card slot, and the base class of slots whose reader is on a port."""

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

    A *tag* identifies a card: 4 to 20 capital hex digits (``62E3086CED``), or ``bumps-5`` for an original card. The
    event loop calls the callbacks.
    """

    @property
    def description(self) -> str:
        """The reader and its port or pins: ``RDM6300 on /dev/ttyAMA0``."""

    @property
    def statistics(self) -> str:
        """Counts of the valid and the invalid data from the reader: ``12 frames, 57 stray bytes``."""

    @property
    def tag(self) -> str | None:
        """The tag of the card that is in the slot, or ``None`` if there is no card."""

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Start reading, and call *inserted* and *removed* with the tag of each card.

        A missing reader causes a ``fault`` event. The slot uses the reader as soon as it is connected.
        """

    def touched(self) -> None:
        """Report to the slot that a player pressed a key, or tapped a card at another slot.

        If the reader cannot detect a removal, the slot removes the card `TAPPED_S` (10 s) after the last such report or
        tap. Otherwise this does nothing.
        """

    def forget(self, tag: str) -> bool:
        """Remove the card *tag* without calling *removed*, and return whether it was in the slot.

        Call this if the card's business is done, or if it has certainly left the slot, for example because another slot
        reads it. If the reader detects removals, this does nothing and returns false.
        """

    def close(self) -> None:
        """Stop reading and release the port or pins. Can be called more than once."""


class Decoder(Protocol):
    """A decoder of the bytes of a reader, which counts what it receives."""

    @property
    def statistics(self) -> str:
        """The counters as text: ``12 frames, 57 stray bytes``."""


class PortSlot(ABC, Generic[P]):
    """The base class of slots whose reader is on a port. Each subclass implements `_tags_in` for a kind of reader.

    *model* is the reader's name and *path* its device file. *port* returns the `ReaderPort`, given the callbacks
    *received*, *opened* and *lost*. *decoder* provides the `statistics`. *presence* detects insertions and removals.
    *name* is the slot's name in faults.
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

    def touched(self) -> None:
        self._presence.touched()

    def forget(self, tag: str) -> bool:
        return self._presence.forget(tag)

    def close(self) -> None:
        self._port.close()
        self._presence.close()

    @abstractmethod
    def _tags_in(self, data: bytes) -> Iterable[str]:
        """Yield the tags that *data* from the reader contains."""

    def _received(self, data: bytes) -> None:
        for tag in self._tags_in(data):
            self._presence.seen(tag)

    def _opened(self) -> None:
        self._fault.set(None)

    def _lost(self, cause: str) -> None:
        self._fault.set(cause)
        self._presence.lost()
