"""The RDM6300, a serial reader that repeats the tag of an EM4100 card (125 kHz)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Annotated

from reboard.board import Devices
from reboard.config.kinds import Choice
from reboard.devices.device import Prompts
from reboard.devices.readers.em4100 import CARDS, TagFrames, is_repeated
from reboard.devices.readers.presence import HOLD_S, RepeatedTag
from reboard.devices.readers.reader import SerialSlot, Slot
from reboard.devices.readers.reader_kind import RepeatingReaderConfig, UnaskedReader
from reboard.events import Emit, ignore_event

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


class Rdm6300Config(RepeatingReaderConfig):
    """The config of an RDM6300. *sends* is ``once`` for a clone that does not repeat a card while it lies there."""

    sends: Annotated[str, Choice("repeats", "once")] = "repeats"


class Rdm6300Kind(UnaskedReader[Rdm6300Config]):
    """The kind of RDM6300 readers."""

    name = "rdm6300"
    title = "RDM6300"
    order = 10
    cards = CARDS
    config = Rdm6300Config
    if_not_repeated = SEND_ONCE

    def decoder(self) -> TagFrames:
        return TagFrames()

    def is_sender(self, decoder: TagFrames) -> bool:
        return not decoder.ends_line

    async def found(self, slot: Slot, prompts: Prompts) -> dict[str, object]:
        if await is_repeated(slot, prompts) or not await prompts.yes(
            "The reader is silent. Is the card still there?", False
        ):
            return {"reader": self.name}
        prompts.say('This reader does not repeat a card: the config gets `sends = "once"`. A tap puts a card in.')
        return {"reader": self.name, "sends": "once"}

    def describe(self, config: Rdm6300Config) -> str:
        if config.sends == "once":
            return f"{config.reader} on {config.port}, which sends a card once, a tap inserts or removes a card"
        return super().describe(config)

    def open(self, config: Rdm6300Config, name: str, board: Devices, emit: Emit) -> Slot:
        if config.sends == "once":
            return super().open(config, name, board, emit)
        return Rdm6300(config.port, board=board, emit=emit, name=name, hold_s=config.hold_s)


class Rdm6300(SerialSlot):
    """A slot with an RDM6300 on serial port *port*.

    A card counts as inserted after two equal frames, because a corrupted frame can have a correct checksum.
    """

    def __init__(
        self, port: str, *, board: Devices, emit: Emit = ignore_event, name: str, hold_s: float = HOLD_S
    ) -> None:
        self._latest: tuple[str, float] | None = None
        self._repeats = 0
        self._earlier: deque[int] = deque(maxlen=MOST_ALIKE)
        self._alone: list[str] = []
        self._wait: asyncio.TimerHandle | None = None
        kind = Rdm6300Kind
        super().__init__(
            kind.title,
            port,
            kind.baud_rate,
            board=board,
            decoder=TagFrames(),
            presence=RepeatedTag(hold_s),
            emit=emit,
            name=name,
        )

    def close(self) -> None:
        super().close()
        self._stop_waiting()

    def _tags_in(self, data: bytes) -> Iterable[str]:
        now = self._loop.time()
        for tag in super()._tags_in(data):
            before, self._latest = self._latest, (tag, now)
            is_repeated = before is not None and before[0] == tag and now - before[1] <= CONFIRM_S
            self._stop_waiting()
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


KIND = Rdm6300Kind()
