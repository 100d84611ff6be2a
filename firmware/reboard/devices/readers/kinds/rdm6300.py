"""The RDM6300, a serial reader that repeats the tag of an EM4100 card (125 kHz)."""

from __future__ import annotations

from typing import Annotated

from reboard.board import Devices
from reboard.config.kinds import Choice
from reboard.devices.examination import Prompts
from reboard.devices.readers.em4100 import CARDS, TagFrames, is_repeated
from reboard.devices.readers.reader import Slot
from reboard.devices.readers.reader_kind import RepeatingReaderConfig, UnaskedReader
from reboard.devices.readers.repeated_frames import RepeatingReader
from reboard.events import Emit
from reboard.languages import translatable


class Rdm6300Config(RepeatingReaderConfig):
    """The config of an RDM6300."""

    sends: Annotated[
        str,
        Choice("repeats", "once"),
        'for `rdm6300`: `"once"` is for a [clone](readers.md#rdm6300) that does not repeat a card',
    ] = "repeats"


class Rdm6300Kind(RepeatingReader[Rdm6300Config]):
    """The kind of RDM6300 readers: 9600 baud, 8N1, a frame every 65 ms while a card is on the coil.

    The card 62E3086CED is sent as ``02 36 32 45 33 30 38 36 43 45 44 30 38 03``. Some clones send small letters, or end
    a frame with ``0D 0A``.
    """

    name = "rdm6300"
    title = "RDM6300"
    order = 10
    cards = CARDS
    config = Rdm6300Config
    period_s = 0.065
    if_silent = (
        "An RDM6300 is silent without a card. With one it sends at once, if it has 5 V, if its TX is on the RX of the "
        "port, if its coil is plugged into P2, and if the card is one of 125 kHz. A voltage divider belongs only on a "
        "reader with 5 V: a reader with 3.3 V is not heard behind one."
    )
    if_not_repeated = translatable('add `sends = "once"` to the slot in the config')

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
            return UnaskedReader.open(self, config, name, board, emit)
        return super().open(config, name, board, emit)


KIND = Rdm6300Kind()
