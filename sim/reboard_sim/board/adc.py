"""Virtual analogue-to-digital converters of the MCP3xxx family, bit by bit as in Microchip's data sheets."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import NamedTuple


class Model(NamedTuple):
    """What distinguishes a chip: its *channels*, the *bits* of a result, and its command.

    *selects* is the number of bits that select the channel. After the command, *pause* clock cycles pass until the null
    bit. A chip that *is_signed* sends a sign before the result.
    """

    channels: int
    bits: int
    selects: int
    pause: int
    is_signed: bool = False


MODELS = {
    "MCP3001": Model(1, 10, 0, 1),
    "MCP3002": Model(2, 10, 1, 0),
    "MCP3004": Model(4, 10, 3, 1),
    "MCP3008": Model(8, 10, 3, 1),
    "MCP3201": Model(1, 12, 0, 1),
    "MCP3202": Model(2, 12, 1, 0),
    "MCP3204": Model(4, 12, 3, 1),
    "MCP3208": Model(8, 12, 3, 1),
    "MCP3301": Model(1, 12, 0, 1, is_signed=True),
    "MCP3302": Model(4, 12, 3, 1, is_signed=True),
    "MCP3304": Model(8, 12, 3, 1, is_signed=True),
}


class Mcp3xxx:
    """A converter. `levels` has the voltage at each channel as a share of the reference voltage, 0 to 1."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.levels = [0.0] * model.channels

    def selected(self) -> Callable[[bool], bool]:
        """Begin a selection, as a `reboard_sim.board.spi.Selected`."""
        conversation = self._conversation()
        next(conversation)
        return conversation.send

    def _conversation(self) -> Generator[bool, bool, None]:
        # each yield sets MISO at a falling edge of the clock, and returns MOSI at the next rising edge
        model = self.model
        is_single, channel = True, 0
        if model.channels == 1:
            yield False
        else:
            while not (yield False):
                pass
            is_single = yield False
            for _ in range(model.selects):
                channel = channel << 1 | (yield False)
            if model.selects == 1:
                yield False  # the order of the bits: the highest one is the first here, as always used
        for _ in range(model.pause):
            yield False
        yield False
        bits = [bit == "1" for bit in f"{self._result(channel % model.channels, is_single):0{self._width}b}"]
        for bit in (*bits, *bits[-2::-1]):  # noqa: UP028 - a tuple takes no bits
            yield bit
        while True:
            yield False

    @property
    def _width(self) -> int:
        return self.model.bits + self.model.is_signed

    def _result(self, channel: int, is_single: bool) -> int:
        """Return the code of a *channel* against ground or, if it is not single, against the other one of its pair."""
        largest = (1 << self.model.bits) - 1
        code = round(self.levels[channel] * largest)
        if not is_single:
            code -= round(self.levels[channel ^ 1] * largest)
        if code < 0:
            return code & (1 << self._width) - 1 if self.model.is_signed else 0
        return code
