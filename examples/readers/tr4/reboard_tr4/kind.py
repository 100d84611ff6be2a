"""The kind of TR-4 readers, which repeat the tag of an EM4100 card (125 kHz) in frames of their own."""

from reboard.devices.readers.em4100 import CARDS, FrameFormat, TagFrames
from reboard.devices.readers.reader_kind import RepeatingReaderConfig
from reboard.devices.readers.repeated_frames import RepeatingReader

FRAME = FrameFormat(b"\x02T", lambda tag: sum(tag) % 256, b"\x03")
"""02, the letter T, ten hex digits of the tag, two of the sum of its five bytes, and 03."""


class Tr4Kind(RepeatingReader[RepeatingReaderConfig]):
    """The kind of TR-4 readers."""

    name = "tr4"
    title = "TR-4"
    cards = CARDS
    config = RepeatingReaderConfig
    baud_rate = 19_200
    period_s = 0.12

    def decoder(self) -> TagFrames:
        return TagFrames(FRAME)


KIND = Tr4Kind()
