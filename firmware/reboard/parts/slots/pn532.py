"""The PN532: a 13.56 MHz (NFC) reader on a serial line, which has to be asked.

It is asked for one card and answers when one comes, however long that takes. While the card is there it is asked again
and again; while there is none, seldom, to see whether it still lives: whatever it is asked, a living one says at once
that it understood.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

from reboard.board import Devices
from reboard.events import Emit, to_nobody
from reboard.parts.slots.line_slot import LineSlot
from reboard.parts.slots.pn532_frames import ACK, ChipFrames, command
from reboard.parts.slots.presence import Presence
from reboard.parts.slots.serial_reader import SerialReader

MODEL = "PN532"
BAUD_RATE = 115_200

HOLD_S = 0.5
"""A card that lies still is missed for a few looks in a row by some modules, 0.1 s each."""

AGAIN_S = 0.1
"""After a card was found it is looked for again so soon."""

ANSWER_S = 0.1
"""A living chip answers within 20 ms, or says at least that it understood."""

STILL_ALIVE_S = 1.0
"""How often a chip that sees no card is asked."""

MOST_SILENCES = 4
"""Noise may swallow a command or two; a chip that hears none of so many is away."""

WAKE_UP = b"\x55\x55" + bytes(14)
"""The edges of the first bytes wake the chip; it needs the time of the others to start its clock."""

VIRTUAL_CARD_OFF = b"\x14\x01"
"""SAMConfiguration, normal mode: the first command that a chip takes after it got power."""
GET_FIRMWARE = b"\x02"
LOOK_FOR_ONE_CARD = b"\x4a\x01\x00"
"""InListPassiveTarget: one card of ISO/IEC 14443 type A, at 106 kbit/s."""

UID_BYTES = (4, 7, 10)
RANDOM_UID = 0x08
"""How a 4-byte UID begins that is another one each time: a phone's."""


class Pn532(LineSlot[SerialReader]):
    """A slot read by a PN532 on serial line *port*.

    A tag is the card's UID: 8, 14 or 20 hex digits. A card is out when it was not found for *hold_s* seconds. The
    description has the chip's firmware once that is known, and a fault is over only when the chip itself has answered.
    """

    def __init__(
        self,
        port: str,
        *,
        board: Devices,
        emit: Emit = to_nobody,
        name: Literal["left", "right"],
        hold_s: float = HOLD_S,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._frames = ChipFrames()
        self._asked = b""
        self._understood = False
        self._silences = 0
        self._found: str | None = None
        self._timer: asyncio.TimerHandle | None = None
        super().__init__(
            MODEL,
            port,
            partial(SerialReader, port, BAUD_RATE, board=board),
            tags_in=self._tags_answered_in,
            counts=self._frames,
            stay=Presence(hold_s),
            emit=emit,
            name=name,
        )

    def close(self) -> None:
        """Stop reading and give the line back. May be called twice."""
        super().close()
        self._stop_timer()

    def _opened(self) -> None:
        self._wake()

    def _lost(self, cause: str) -> None:
        self._stop_timer()
        super()._lost(cause)

    def _wake(self) -> None:
        self._silences = 0
        self._ask(VIRTUAL_CARD_OFF, before=WAKE_UP)

    def _ask(self, contents: bytes, *, before: bytes = b"") -> None:
        self._asked = contents
        self._understood = False
        self._frames.forget()
        self._then(ANSWER_S, self._listened)
        self._line.write(before + command(contents))

    def _look(self) -> None:
        self._ask(LOOK_FOR_ONE_CARD)

    def _look_anew(self) -> None:
        self._ask(LOOK_FOR_ONE_CARD, before=ACK)

    def _tags_answered_in(self, data: bytes) -> Iterator[str]:
        for answer in self._frames.feed(data):
            if not answer:
                self._understood = True
            elif self._asked and answer[0] == self._asked[0] + 1:
                yield from self._answered(answer[1:])

    def _answered(self, answer: bytes) -> Iterator[str]:
        asked, self._asked = self._asked, b""
        self._silences = 0
        if asked == VIRTUAL_CARD_OFF:
            self._ask(GET_FIRMWARE)
        elif asked == GET_FIRMWARE:
            self._model = f"{MODEL} {answer[1]}.{answer[2]}" if len(answer) == 4 else MODEL
            self._trouble.tell(None)
            self._look()
        else:
            self._then(AGAIN_S, self._look)
            before, self._found = self._found, uid_in(answer)
            # A zero lost on the line leaves every sum right: a new card has to be told twice, and alike.
            if self._found and self._found in (before, self.tag):
                yield self._found

    def _listened(self) -> None:
        """The time for an answer is over."""
        if self._asked == LOOK_FOR_ONE_CARD and self._understood:
            self._silences = 0
            if self.tag is None:
                self._then(STILL_ALIVE_S - ANSWER_S, self._look_anew)
            else:
                self._look_anew()
            return
        self._silences += 1
        if self._silences < MOST_SILENCES:
            self._ask(self._asked, before=ACK)
            return
        self._trouble.tell(
            f"the {MODEL} on {self._place} does not answer: look at its wires and that its switches are set to HSU/UART"
        )
        self._wake()

    def _then(self, after_s: float, act: Callable[[], None]) -> None:
        self._stop_timer()
        self._timer = self._loop.call_later(after_s, act)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def uid_in(answer: bytes) -> str | None:
    """The UID of the one card that an answer to `LOOK_FOR_ONE_CARD` tells of."""
    if len(answer) < 6 or answer[0] != 1 or answer[5] not in UID_BYTES:
        return None
    uid = answer[6 : 6 + answer[5]]
    if len(uid) < answer[5] or (len(uid) == 4 and uid[0] == RANDOM_UID):
        return None
    return uid.hex().upper()
