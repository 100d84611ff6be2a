"""The ID-12LA and the ID-20LA, serial readers that send the tag of an EM4100 card (125 kHz) once."""

from __future__ import annotations

from reboard.devices.examination import Prompts
from reboard.devices.readers.em4100 import CARDS, TagFrames, is_repeated
from reboard.devices.readers.reader import Slot
from reboard.devices.readers.reader_kind import SerialConfig, UnaskedReader


class Id12Kind(UnaskedReader[SerialConfig]):
    """The kind of ID-12LA and ID-20LA readers: 9600 baud, 8N1, one frame for a card.

    The card 0500207B32 is sent as ``02 30 35 30 30 32 30 37 42 33 32 36 43 0D 0A 03``.
    """

    name = "id12"
    title = "ID-12LA"
    order = 20
    cards = CARDS
    config = SerialConfig

    def decoder(self) -> TagFrames:
        return TagFrames()

    def is_sender(self, decoder: TagFrames) -> bool:
        return decoder.ends_line

    async def found(self, slot: Slot, prompts: Prompts) -> dict[str, object]:
        return {"reader": "rdm6300" if await is_repeated(slot, prompts) else self.name}


KIND = Id12Kind()
