"""A virtual USB reader that types: it presses its keys once for each card, when it comes."""

from __future__ import annotations

import asyncio
import random
import re
from collections import deque
from collections.abc import Iterable

from reboard.parts.slots.input_device import EV_KEY, EV_REL, EV_SYN, KEY_ENTER
from reboard.parts.slots.keyboard import SYN_DROPPED, TOP_ROW
from reboard_sim.input_device import Change, VirtualInputDevice
from reboard_sim.readers.virtual_reader import NoSuchCardError

KEY_S = 0.016
"""A key goes down and up in two reports of the USB, 8 ms each."""

FLICKER_S = (0.1, 0.7)
"""A flickering card is lost, found again and typed again after some time in this range."""

NOISE_S = (0.1, 0.5)
"""Something that is no card is typed this often."""

EV_MSC, MSC_SCAN = 4, 4
UP, DOWN, HELD = 0, 1, 2
KEYS = {digit: code for code, digit in TOP_ROW.items()}
KEY_Z = 44

REPORT: Change = (EV_SYN, 0, 0)


def stroke(code: int) -> tuple[Change, ...]:
    """What the kernel makes of a key that is pressed and let go."""
    return tuple(
        change
        for value in (DOWN, UP)
        for change in ((EV_MSC, MSC_SCAN, 0x7_0000 + code), (EV_KEY, code, value), REPORT)
    )


def line_of(digits: str) -> list[tuple[Change, ...]]:
    """The strokes of a line: *digits* and Enter."""
    return [stroke(code) for code in (*(KEYS[digit] for digit in digits), KEY_ENTER)]


class VirtualKeyboard:
    """A reader that is *device*, a `reboard_sim.readers.virtual_reader.VirtualReader`.

    A card that lies there when it gets power is not typed: a real one types it before anybody listens.
    """

    speaks_once = True

    def __init__(self, device: VirtualInputDevice, *, rng: random.Random) -> None:
        self._loop = asyncio.get_running_loop()
        self._device = device
        self._rng = rng
        self._has_power = True
        self._noise = False
        self._flicker = False
        self._to_type: deque[tuple[Change, ...]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self.card: str | None = None

    @staticmethod
    def says(card: str) -> str:
        """The card's number: its last eight digits, in ten decimal ones."""
        if not re.fullmatch("[0-9A-Fa-f]{10}", card):
            raise NoSuchCardError(f"a card for this reader is ten hex digits, not {card!r}")
        return f"{int(card[-8:], 16):010}"

    def put(self, card: str) -> None:
        """Lay a card on the reader, instead of one that lies there."""
        line = line_of(self.says(card))
        self.card = card.upper()
        if self._has_power:
            self._to_type += line
            self._go_on()

    def take(self) -> None:
        """Take the card away, if one is there. It types nothing then."""
        self.card = None

    def noise(self, on: bool) -> None:
        """Type what is no card, and let the kernel lose something."""
        self._noise = on
        self._go_on()

    def flicker(self, on: bool) -> None:
        """Lose a card that lies still, find it again and type it again, over and over."""
        self._flicker = on
        self._go_on()

    def plug(self) -> None:
        """Put its plug in."""
        self._device.plug()
        self._has_power = True
        self._go_on()

    def unplug(self) -> None:
        """Pull its plug in the middle of whatever it types."""
        self._device.unplug()
        self._has_power = False
        self._to_type.clear()

    def close(self) -> None:
        """Type nothing more. May be called twice."""
        self.take()
        self.unplug()
        self._noise = self._flicker = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _go_on(self) -> None:
        if self._timer is None:
            self._type()

    def _type(self) -> None:
        """Type the next key of the line, or wait until the next line is due."""
        self._timer = None
        if self._to_type:
            self._device.tell(*self._to_type.popleft())
            self._then(KEY_S)
        elif self._noise and self._has_power:
            self._to_type += self._disturbance()
            self._then(self._rng.uniform(*NOISE_S))
        elif self._flicker and self._has_power and self.card is not None:
            self._to_type += line_of(self.says(self.card))
            self._then(self._rng.uniform(*FLICKER_S))

    def _then(self, after_s: float) -> None:
        self._timer = self._loop.call_later(after_s, self._type)

    def _disturbance(self) -> Iterable[tuple[Change, ...]]:
        """Something that must not become a card, and ends in a way that spoils none."""
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
