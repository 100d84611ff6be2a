"""A slot whose reader is on a line: what the readers that send a card's tag have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, Literal, Protocol, TypeVar

from reboard.events import Emit
from reboard.parts.slots.watched_line import WatchedLine
from reboard.trouble import Trouble

L = TypeVar("L", bound=WatchedLine[Any])


class Counts(Protocol):
    """What was heard so far."""

    @property
    def health(self) -> str:
        """The counters, in words."""


class Stay(Protocol):
    """When a card is in, going by the tags that its reader names: a `Presence` or a `Tap`."""

    @property
    def tag(self) -> str | None:
        """The card that is in now."""

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Tell these from now on."""

    def seen(self, tag: str) -> None:
        """The reader named *tag* just now."""

    def done(self) -> None:
        """What the card was put in for is done."""

    def in_use(self, on: bool) -> None:
        """Somebody works with the card, or has just done something."""

    def let_go(self, tag: str) -> bool:
        """The card *tag* is surely not here any more; returns whether it is out now because of that."""

    def lost(self) -> None:
        """The reader went away."""

    def close(self) -> None:
        """Forget the card and call nobody any more."""


class LineSlot(Generic[L]):
    """A slot read over a line; see `reboard.parts.slots.slot.Slot`. Each kind of reader is one made with its own parts.

    *model* is what its maker calls the reader, and *place* the device file. *line* opens it, called with the three that
    a `WatchedLine` tells. *tags_in* finds the tags in what was read, *counts* counts them, and *stay* makes insertions
    and removals of them. The part in ``fault`` and ``recovered`` events is called ``left slot`` or ``right slot``,
    after *name*.
    """

    def __init__(
        self,
        model: str,
        place: str,
        line: Callable[..., L],
        *,
        tags_in: Callable[[bytes], Iterable[str]],
        counts: Counts,
        stay: Stay,
        emit: Emit,
        name: Literal["left", "right"],
    ) -> None:
        self._model = model
        self._place = place
        self._tags_in = tags_in
        self._counts = counts
        self._stay = stay
        self._trouble = Trouble(f"{name} slot", emit)
        self._line = line(received=self._received, opened=self._opened, lost=self._lost)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._place} tag={self.tag}, {self.health}>"

    @property
    def description(self) -> str:
        """What reads this slot and where."""
        return f"{self._model} on {self._place}"

    @property
    def health(self) -> str:
        """What was heard so far."""
        return self._counts.health

    @property
    def tag(self) -> str | None:
        """The card that is in the slot now."""
        return self._stay.tag

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Begin to read; a reader that is missing is looked for until it is there."""
        self._stay.start(inserted, removed)
        self._line.start()

    def done(self) -> None:
        """What the card was put in for is done."""
        self._stay.done()

    def in_use(self, on: bool) -> None:
        """Somebody works with the card, or (false) has just done something and may leave it."""
        self._stay.in_use(on)

    def let_go(self, tag: str) -> bool:
        """The card *tag* is surely not here any more; returns whether it is out now because of that."""
        return self._stay.let_go(tag)

    def close(self) -> None:
        """Stop reading and give the line back. May be called twice."""
        self._line.close()
        self._stay.close()

    def _received(self, data: bytes) -> None:
        for tag in self._tags_in(data):
            self._stay.seen(tag)

    def _opened(self) -> None:
        self._trouble.tell(None)

    def _lost(self, cause: str) -> None:
        self._trouble.tell(cause)
        self._stay.lost()
