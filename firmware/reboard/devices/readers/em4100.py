"""Serial readers of EM4100 cards (125 kHz): the RDM6300, which repeats a tag, and the ID-12LA, which sends it once.

Both readers send a tag as ten hex digits and a checksum, in ASCII.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Iterable
from functools import partial, reduce
from operator import xor

from reboard.board import Devices
from reboard.devices.readers.presence import HOLD_S, RepeatedTag, Tap
from reboard.devices.readers.reader import CardType, PortSlot
from reboard.devices.readers.reader_port import SerialPort
from reboard.events import Emit, ignore_event

BAUD_RATE = 9600
STX = b"\x02"
RDM6300_END = b"\x03"
ID12_END = b"\r\n\x03"
ENDS = b"\r\n\x03"
"""The bytes that can follow the checksum. Any one of them ends a frame, because clones differ."""

FRAME = re.compile(rb"\x02([0-9A-Fa-f]{10})([0-9A-Fa-f]{2})[\r\n\x03]")
FRAME_BYTES = 14

CONFIRM_S = 0.5
"""The longest time between two equal frames that confirm each other, in seconds."""

SEND_ONCE = 'add `sends = "once"` to the slot in the config'

MANY_FRAMES = 15
"""The number of frames of a card that a user holds to the reader for a second."""

MOST_ALIKE = 3
STOPS = (
    f"The last {MOST_ALIKE} cards came {{}} times each. If they lay there longer, the reader stops repeating a card: "
    f"{SEND_ONCE}."
)
"""The advice if `MOST_ALIKE` cards in a row came in the same number of frames."""

MOST_ALONE = 2
"""The number of times that a card must come in a single frame to show that the reader sends each card only once."""


def ending_of(written: str) -> str:
    """Return the hex digits at the end of the tag that has another spelling *written*, or ``""``.

    Cards show the last four bytes (8H10D) or three bytes (6H8D) as a decimal number, or all five (10H13D). Other
    software writes the frame's checksum after the tag, or only the last four bytes.
    """
    if re.fullmatch("[0-9A-F]{12}", written):
        return written[:10] if _checksum(written[:10]) == int(written[10:], 16) else ""
    if re.fullmatch("[0-9]+", written):
        digits = {8: 6, 10: 8, 13: 10}.get(len(written), 0)
        number = f"{int(written):0{digits}X}"
        return number if digits and len(number) == digits else ""
    return written if re.fullmatch("[0-9A-F]{8}", written) else ""


def _checksum(tag: str) -> int:
    return reduce(xor, bytes.fromhex(tag))


CARDS = CardType("125 kHz cards (EM4100)", re.compile("[0-9A-F]{10}"), "ten hex digits, such as 62E3086CED", ending_of)


class TagFrames:
    """A decoder that finds the tags in the bytes of a reader and ignores noise.

    A frame is the byte 02, ten hex digits (the tag), two hex digits (the checksum), and one to three of `ENDS`. The
    checksum is the exclusive or of the tag's five bytes. *ends_line* is whether the latest frame ended with a line
    end, as an ID-12LA's does. An incomplete frame is kept for the next call of `feed`.
    """

    def __init__(self) -> None:
        self._pending = b""
        self.frames = 0
        self.stray_bytes = 0
        self.ends_line = False

    @property
    def dropped(self) -> int:
        """The stray bytes, in frames."""
        return -(-self.stray_bytes // FRAME_BYTES)

    def feed(self, data: bytes) -> list[str]:
        """Return the tags (ten capital hex digits each) whose frame ends in *data*, in order."""
        stream = self._pending + data
        tags = []
        stray = b""
        place = 0
        for frame in FRAME.finditer(stream):
            stray += stream[place : frame.start()]
            place = frame.end()
            tag = frame[1].decode().upper()
            if _checksum(tag) == int(frame[2], 16):
                tags.append(tag)
                self.ends_line = not frame[0].endswith(RDM6300_END)
            else:
                stray += frame[0]
        # only the last STX can begin an incomplete frame: a frame has no STX inside
        begin = stream.rfind(STX, max(place, len(stream) - FRAME_BYTES + 1))
        self._pending = stream[begin:] if begin >= 0 else b""
        stray += stream[place : len(stream) - len(self._pending)]
        self.frames += len(tags)
        self.stray_bytes += len(stray.translate(None, ENDS))
        return tags


class Rdm6300(PortSlot[SerialPort]):
    """A slot with an RDM6300 on serial port *port*.

    A card counts as inserted after two equal frames, because a corrupted frame can have a correct checksum. If the
    reader *sends_once*, one frame counts, and `reboard.devices.readers.presence.Tap` detects removals.
    """

    model = "RDM6300"

    def __init__(
        self,
        port: str,
        *,
        board: Devices,
        emit: Emit = ignore_event,
        name: str,
        hold_s: float = HOLD_S,
        sends_once: bool = False,
    ) -> None:
        self._frames = TagFrames()
        self._sends_once = sends_once
        self._latest: tuple[str, float] | None = None
        self._repeats = 0
        self._earlier: deque[int] = deque(maxlen=MOST_ALIKE)
        self._alone: list[str] = []
        self._wait: asyncio.TimerHandle | None = None
        super().__init__(
            self.model,
            port,
            partial(SerialPort, port, BAUD_RATE, board=board),
            decoder=self._frames,
            presence=Tap() if sends_once else RepeatedTag(hold_s),
            emit=emit,
            name=name,
        )

    @property
    def ends_line(self) -> bool:
        """Whether the latest frame ended with a line end, as an ID-12LA's does."""
        return self._frames.ends_line

    def close(self) -> None:
        super().close()
        self._stop_waiting()

    def _tags_in(self, data: bytes) -> Iterable[str]:
        now = self._loop.time()
        for tag in self._frames.feed(data):
            before, self._latest = self._latest, (tag, now)
            is_repeated = before is not None and before[0] == tag and now - before[1] <= CONFIRM_S
            self._stop_waiting()
            if not self._sends_once:
                self._compare(tag, is_repeated=is_repeated)
            if is_repeated or self._sends_once or tag == self.tag:
                yield tag
            else:
                self.heard.card(tag)

    def _compare(self, tag: str, *, is_repeated: bool) -> None:
        """Count the frames of a card, and compare them with those of earlier cards."""
        if is_repeated:
            self._repeats += 1
            self._alone = []
            return
        self._earlier.append(self._repeats)
        self._repeats = 1
        self._wait = self._loop.call_later(CONFIRM_S, self._stays_alone, tag)
        is_alike = min(self._earlier) >= MANY_FRAMES and max(self._earlier) - min(self._earlier) <= 1
        self.heard.advice = STOPS.format(self._earlier[-1]) if is_alike and len(self._earlier) == MOST_ALIKE else ""

    def _stays_alone(self, tag: str) -> None:
        """Report a fault if *tag* came in single frames, which is no noise. A card that is in has been repeated."""
        if tag == self.tag:
            return
        self._alone = [*filter(tag.__eq__, self._alone), tag][-MOST_ALONE:]
        if len(self._alone) >= MOST_ALONE:
            self._fault.set(
                f"the reader on {self._path} sends a card only once, but must repeat it: hold the card nearer to its "
                f"coil. If that does not help, {SEND_ONCE}"
            )

    def _stop_waiting(self) -> None:
        if self._wait is not None:
            self._wait.cancel()
            self._wait = None


class Id12(Rdm6300):
    """A slot with an ID-12LA or ID-20LA on serial port *port*, which sends each card once."""

    model = "ID-12LA"

    def __init__(self, port: str, *, board: Devices, emit: Emit = ignore_event, name: str) -> None:
        super().__init__(port, board=board, emit=emit, name=name, sends_once=True)
