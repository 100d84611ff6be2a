"""The RDM6300: a 125 kHz reader that repeats a card's tag on a serial line while the card is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from reboard.board import Board
from reboard.events import Emit, to_nobody
from reboard.parts.slots.em4100 import FrameReader
from reboard.parts.slots.presence import Presence
from reboard.parts.slots.serial_reader import SerialReader
from reboard.trouble import Trouble

BAUD_RATE = 9600
FRAME_END = b"\x03"

HOLD_S = 0.5
"""A frame comes every 65 ms; the worst flicker that was seen is a quarter of a second."""


class Rdm6300:
    """A slot read by an RDM6300 on serial line *port*; see `reboard.parts.slots.slot.Slot`.

    A card is out when it was not heard for *hold_s* seconds. The part in ``fault`` and ``recovered`` events is called
    ``left slot`` or ``right slot``, after *name*.
    """

    def __init__(
        self,
        port: str,
        *,
        board: Board,
        emit: Emit = to_nobody,
        name: Literal["left", "right"],
        hold_s: float = HOLD_S,
    ) -> None:
        self._port = port
        self._hold_s = hold_s
        trouble = Trouble(f"{name} slot", emit)
        self._line = SerialReader(
            port,
            BAUD_RATE,
            board=board,
            received=self._received,
            opened=lambda: trouble.tell(None),
            lost=trouble.tell,
        )
        self._frames = FrameReader(FRAME_END)
        self._presence: Presence | None = None

    def __repr__(self) -> str:
        return f"<Rdm6300 {self._port} tag={self.tag}, {self.health}>"

    @property
    def description(self) -> str:
        """What reads this slot and where."""
        return f"RDM6300 on {self._port}"

    @property
    def health(self) -> str:
        """What was heard so far."""
        return self._frames.health

    @property
    def tag(self) -> str | None:
        """The card that is in the slot now."""
        return self._presence.tag if self._presence else None

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Begin to read; a line that is missing is looked for until it is there."""
        self._presence = Presence(self._hold_s, inserted, removed)
        self._line.start()

    def done(self) -> None:
        """Nothing: this reader hears the card go."""

    def close(self) -> None:
        """Stop reading and give the line back. May be called twice."""
        self._line.close()
        if self._presence is not None:
            self._presence.close()

    def _received(self, data: bytes) -> None:
        assert self._presence is not None
        for tag in self._frames.feed(data):
            self._presence.seen(tag)
