"""A virtual USB reader that types the tag of a card once, when the user inserts the card."""

from __future__ import annotations

import asyncio
import random
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from reboard.devices.readers.input_device import EV_KEY, EV_REL, EV_SYN, KEY_ENTER
from reboard.devices.readers.kinds.keyboard import SYN_DROPPED, TOP_ROW
from reboard_sim.board.input_device import Change, Report, VirtualInputDevice
from reboard_sim.board.line import Tape
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.readers.frame_decoders import Piece, TypedKeyDecoder
from reboard_sim.devices.readers.virtual_reader import NoSuchCardError, VirtualReader

KEY_S = 0.016
"""The time between two keys, in seconds. A key takes two USB reports (down and up) of 8 ms each."""

FLICKER_S = (0.1, 0.7)
"""The range of the wait before a flickering reader types a card again, in seconds."""

NOISE_S = (0.1, 0.5)
"""The range of the wait before the reader types noise, in seconds."""

EV_MSC, MSC_SCAN = 4, 4
UP, DOWN, HELD = 0, 1, 2
KEYS = {digit: code for code, digit in TOP_ROW.items()}
KEY_Z, KEY_COMMA = 44, 51

REPORT: Change = (EV_SYN, 0, 0)


def stroke(code: int) -> tuple[Change, ...]:
    """Return the input events that the kernel reports when a key is pressed and released."""
    return tuple(
        change
        for value in (DOWN, UP)
        for change in ((EV_MSC, MSC_SCAN, 0x7_0000 + code), (EV_KEY, code, value), REPORT)
    )


def line_of(digits: str) -> list[tuple[Change, ...]]:
    """Return the key strokes for *digits* and Enter."""
    return [stroke(code) for code in (*(KEYS[digit] for digit in digits), KEY_ENTER)]


class VirtualKeyboard(VirtualReader):
    """A USB card reader that types on the input device *device*.

    It does not type a card that is in the slot at power-up. A real reader types the card before the firmware listens.
    """

    reports_once = True

    def __init__(self, device: VirtualInputDevice, *, rng: random.Random) -> None:
        self._loop = asyncio.get_running_loop()
        self._device = device
        self._rng = rng
        self._has_power = True
        self._to_type: deque[tuple[Change, ...]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @classmethod
    def wired(cls, config: Any, board: VirtualBoard) -> Self:
        return cls(board.add_input_device(config.device), rng=board.rng)

    @property
    def tape(self) -> Tape[Any]:
        return self._device.reports

    def decoder(self) -> Callable[[Report], Iterable[Piece]]:
        decoder = TypedKeyDecoder()
        return lambda sent: decoder.feed(sent.t, sent.changes)

    @staticmethod
    def says(card: str) -> str:
        """Return the last eight hex digits of *card* as a decimal number of ten digits. Raises `NoSuchCardError`."""
        if not re.fullmatch("[0-9A-Fa-f]{10}", card):
            raise NoSuchCardError(f"{card!r} is not a card for this reader: use ten hex digits")
        return f"{int(card[-8:], 16):010}"

    def put(self, card: str) -> None:
        line = line_of(self.says(card))
        if self.is_garbled:
            line.insert(3, stroke(KEY_COMMA))
        self.card = card.upper()
        if self._has_power:
            self._to_type += line
            self._start_typing()

    def noise(self, on: bool) -> None:
        super().noise(on)
        self._start_typing()

    def flicker(self, on: bool) -> None:
        super().flicker(on)
        self._start_typing()

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {**super().faults(), "garbled": self.garble}

    def plug(self) -> None:
        self._device.plug()
        self._has_power = True
        self._start_typing()

    def unplug(self) -> None:
        self._device.unplug()
        self._has_power = False
        self._to_type.clear()

    def close(self) -> None:
        self.take()
        self.unplug()
        self.is_noisy = self.flickers = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start_typing(self) -> None:
        if self._timer is None:
            self._type()

    def _type(self) -> None:
        self._timer = None
        if self._to_type:
            self._device.report(*self._to_type.popleft())
            self._then(KEY_S)
        elif self.is_noisy and self._has_power:
            self._to_type += self._disturbance()
            self._then(self._rng.uniform(*NOISE_S))
        elif self.flickers and self._has_power and self.card is not None:
            self._to_type += line_of(self.says(self.card))
            self._then(self._rng.uniform(*FLICKER_S))

    def _then(self, after_s: float) -> None:
        self._timer = self._loop.call_later(after_s, self._type)

    def _disturbance(self) -> Iterable[tuple[Change, ...]]:
        """Return key strokes that the firmware must ignore, and that do not damage the next card."""
        line = line_of(self.says(self._rng.randbytes(5).hex()))
        position = self._rng.randrange(1, len(line))
        match self._rng.randrange(5):
            case 0:
                return [stroke(KEY_ENTER), *line[-4:]]
            case 1:
                return [*line[:-1], *line[:-1], *line]
            case 2:
                return [*line[:position], stroke(KEY_Z), *line[position:]]
            case 3:
                return [*line[:position], ((EV_SYN, SYN_DROPPED, 0), REPORT), *line[-2:]]
            case _:
                return [tuple((kind, code, HELD) for kind, code, _ in key if kind == EV_KEY) for key in line] + [
                    ((EV_REL, 0, 3), REPORT)
                ]


READER = VirtualKeyboard
