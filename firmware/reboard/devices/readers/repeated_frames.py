"""The kinds of serial readers that repeat the tag of a card, and their slot, which believes only a repeated tag."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TypeVar

from reboard.board import Devices
from reboard.devices.readers.presence import RepeatedTag
from reboard.devices.readers.reader import PortSlot, Slot
from reboard.devices.readers.reader_kind import RepeatingReaderConfig, UnaskedReader
from reboard.devices.readers.reader_port import SerialPort
from reboard.events import Emit
from reboard.languages import translatable

R = TypeVar("R", bound=RepeatingReaderConfig)

CONFIRM_S = 0.5
"""The longest time between two equal frames that confirm each other, in seconds."""

MANY_FRAMES = 15
"""The number of frames of a card that a user holds to the reader for a second."""

MOST_ALIKE = 3
"""The number of cards in a row that came in the same number of frames if the reader stops repeating a card."""

MOST_ALONE = 2
"""The number of times that a card must come in a single frame to show that the reader sends each card only once."""


class RepeatingReader(UnaskedReader[R]):
    """The base class of kinds on a serial port that send a tag unasked and repeat it while the card is there."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.period_s:
            raise TypeError(f"{cls.__name__} needs period_s, the time between two reports of a card in seconds")

    def open(self, config: R, name: str, board: Devices, emit: Emit) -> Slot:
        return RepeatedFrameSlot(self, config, name, board, emit)


class RepeatedFrameSlot(PortSlot[SerialPort]):
    """A slot with a reader of a *kind* that repeats a card.

    A card counts as inserted after two equal frames, because a corrupted frame can have a correct checksum.
    """

    def __init__(self, kind: RepeatingReader[R], config: R, name: str, board: Devices, emit: Emit) -> None:
        self._latest: tuple[str, float] | None = None
        self._repeats = 0
        self._earlier: deque[int] = deque(maxlen=MOST_ALIKE)
        self._alone: list[str] = []
        self._remedy = kind.if_not_repeated
        port = SerialPort(config.port, kind.baud_rate, board)
        super().__init__(kind.title, port, kind.decoder(), RepeatedTag(config.hold_s), emit, name)

    def _tags_in(self, data: bytes) -> Iterable[str]:
        now = self._loop.time()
        for tag in super()._tags_in(data):
            before, self._latest = self._latest, (tag, now)
            is_repeated = before is not None and before[0] == tag and now - before[1] <= CONFIRM_S
            self._stop_timer()
            self._compare(tag, is_repeated=is_repeated)
            if is_repeated or tag == self.tag:
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
        self._call_later(CONFIRM_S, self._stays_alone, tag)
        is_alike = min(self._earlier) >= MANY_FRAMES and max(self._earlier) - min(self._earlier) <= 1
        self.heard.advice = self._stops() if is_alike and len(self._earlier) == MOST_ALIKE else ""

    def _stops(self) -> str:
        """Return the advice for a reader whose last `MOST_ALIKE` cards came in the same number of frames."""
        times, remedy = self._earlier[-1], f". {translatable(f'Then {self._remedy}')}" if self._remedy else ""
        what = translatable(
            f"The last {MOST_ALIKE} cards came {times} times each. If they lay there longer, the reader stops "
            f"repeating a card"
        )
        return f"{what}{remedy}."

    def _stays_alone(self, tag: str) -> None:
        """Report a fault if *tag* came in single frames, which is no noise. A card that is in has been repeated."""
        if tag == self.tag:
            return
        self._alone = [*filter(tag.__eq__, self._alone), tag][-MOST_ALONE:]
        if len(self._alone) >= MOST_ALONE:
            remedy = f". {translatable(f'If that does not help, {self._remedy}')}" if self._remedy else ""
            self._fault.set(
                translatable(
                    f"the reader on {self._port.path} sends a card only once, but must repeat it: hold the card nearer "
                    f"to its coil{remedy}"
                )
            )
