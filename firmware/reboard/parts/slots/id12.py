"""The ID-12LA and its larger sister ID-20LA: 125 kHz readers that tell a card once, when it comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from reboard.board import Board
from reboard.events import Emit, to_nobody
from reboard.parts.slots.em4100 import FrameReader
from reboard.parts.slots.serial_reader import SerialReader
from reboard.parts.slots.tap import Tap
from reboard.trouble import Trouble

BAUD_RATE = 9600
FRAME_END = b"\r\n\x03"


class Id12:
    """A slot read by an ID-12LA or ID-20LA on serial line *port*; see `reboard.parts.slots.slot.Slot`.

    A card is in from one tap to the next, or until it is done; a reader that goes away takes its card along. The part
    in ``fault`` and ``recovered`` events is called ``left slot`` or ``right slot``, after *name*.
    """

    def __init__(self, port: str, *, board: Board, emit: Emit = to_nobody, name: Literal["left", "right"]) -> None:
        self._port = port
        self._trouble = Trouble(f"{name} slot", emit)
        self._line = SerialReader(
            port, BAUD_RATE, board=board, received=self._received, opened=self._opened, lost=self._lost
        )
        self._frames = FrameReader(FRAME_END)
        self._tap: Tap | None = None

    def __repr__(self) -> str:
        return f"<Id12 {self._port} tag={self.tag}, {self.health}>"

    @property
    def description(self) -> str:
        """What reads this slot and where."""
        return f"ID-12LA on {self._port}"

    @property
    def health(self) -> str:
        """What was heard so far."""
        return self._frames.health

    @property
    def tag(self) -> str | None:
        """The card that is in the slot now."""
        return self._tap.tag if self._tap else None

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Begin to read; a line that is missing is looked for until it is there."""
        self._tap = Tap(inserted, removed)
        self._line.start()

    def done(self) -> None:
        """The card goes soon."""
        if self._tap is not None:
            self._tap.done()

    def close(self) -> None:
        """Stop reading and give the line back. May be called twice."""
        self._line.close()
        if self._tap is not None:
            self._tap.close()

    def _received(self, data: bytes) -> None:
        assert self._tap is not None
        for tag in self._frames.feed(data):
            self._tap.seen(tag)

    def _opened(self) -> None:
        self._trouble.tell(None)

    def _lost(self, cause: str) -> None:
        assert self._tap is not None
        self._trouble.tell(cause)
        self._tap.let_go()
