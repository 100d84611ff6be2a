"""The base classes of the virtual card readers, EM4100 frames, and the deck of cards."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Mapping
from functools import cache, reduce
from operator import xor
from typing import TYPE_CHECKING

from reboard.errors import ReboardError
from reboard_sim.devices.device import VirtualDevice

if TYPE_CHECKING:
    from reboard_sim.board.serial_line import VirtualSerialLine

DECK = (
    "3A00C41F07",
    "3A00C4B26E",
    "3A00D10A93",
    "3A00D17C58",
    "3A00E835DA",
    "3A00E8A641",
    "3A00F719BC",
    "3A00F7E02D",
)
"""The tags of cards 1 to 8, with ten hex digits each, as on an EM4100 card. ``DECK[0]`` is card 1."""


def card_name(card: str) -> str:
    """Return the name of *card* in a play: its number in the deck, or ``tag 62E3086CED`` for any other card."""
    return f"{DECK.index(card) + 1}" if card in DECK else f"tag {card}"


@cache
def frame_of(card: str, end: bytes) -> bytes:
    """Return the EM4100 frame of *card* with *end*. Raises `NoSuchCardError` unless *card* is ten hex digits."""
    if not re.fullmatch("[0-9A-Fa-f]{10}", card):
        raise NoSuchCardError(f"an EM4100 card is ten hex digits, not {card!r}")
    checksum = reduce(xor, bytes.fromhex(card))
    return f"\x02{card.upper()}{checksum:02X}".encode() + end


def disturbance(end: bytes, rng: random.Random) -> bytes:
    """Return bytes that the firmware must ignore: noise, or a damaged frame of a random card."""
    frame = frame_of(rng.randbytes(5).hex(), end)
    position = rng.randrange(1, len(frame))
    match rng.randrange(4):
        case 0:
            return rng.randbytes(position)
        case 1:
            return frame[:position]
        case 2:
            return frame[:position] + frame[position + 1 :]
        case _:
            wrong_digit = b"0" if frame[1:2] != b"0" else b"1"
            return frame[:1] + wrong_digit + frame[2:]


class NoSuchCardError(ReboardError, ValueError):
    """An error for a card that the reader cannot read."""


class VirtualReader(VirtualDevice):
    """A virtual card reader in a slot.

    `card` has the hex digits of the card in the slot, or ``None``. The card stays in the slot when the reader loses its
    power.
    """

    card: str | None = None

    reports_once = False
    """Whether the reader reports only the insertion of a card, not its removal. Users tap cards on such a reader."""

    @staticmethod
    def says(card: str, /) -> str:
        """Return the tag that the firmware reads from *card*. May raise `NoSuchCardError`."""
        return card

    def put(self, card: str, /) -> None:
        """Insert *card* in place of the card in the slot. May raise `NoSuchCardError`."""
        raise NotImplementedError

    def take(self) -> None:
        """Remove the card from the slot, if there is one."""
        raise NotImplementedError

    def noise(self, on: bool, /) -> None:
        """Begin or end noise: the reader sends disturbances, or its contacts chatter."""
        raise NotImplementedError

    def flicker(self, on: bool, /) -> None:
        """Begin or end flicker: the reader sometimes loses a card that does not move."""
        raise NotImplementedError

    def plug(self) -> None:
        """Plug the reader in, unless it is plugged in already."""
        raise NotImplementedError

    def unplug(self) -> None:
        """Unplug the reader. Safe to call twice."""
        raise NotImplementedError

    def power_on(self) -> None:
        self.plug()

    def power_off(self) -> None:
        self.unplug()

    def acts(self) -> Mapping[str, Callable[..., None]]:
        return {"insert": self.put, "remove": self.take}

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {
            "reader": lambda on: (self.unplug if on else self.plug)(),
            "noise": self.noise,
            "flicker": self.flicker,
        }

    def state(self) -> object:
        return {"card": self.card, "taps": self.reports_once}


class VirtualEm4100Reader(VirtualReader):
    """A reader that sends EM4100 frames on a serial *line*. It polls its card every `period_s` seconds."""

    period_s: float
    frame_end: bytes

    def __init__(self, line: VirtualSerialLine, *, rng: random.Random) -> None:
        self._loop = asyncio.get_running_loop()
        self._line = line
        self._rng = rng
        self._noise = False
        self._flicker = False
        self._timer: asyncio.TimerHandle | None = None

    def take(self) -> None:
        self.card = None

    def noise(self, on: bool) -> None:
        self._noise = on
        self._poll()

    def flicker(self, on: bool) -> None:
        self._flicker = on

    def plug(self) -> None:
        self._line.plug()

    def unplug(self) -> None:
        self._line.unplug()

    def close(self) -> None:
        self._line.close()
        self.take()
        self._noise = False
        self._stop_timer()

    def _send_again(self, card: str) -> bool:
        """Send the frame of *card* if it is due. Return whether the reader must poll the card again."""
        raise NotImplementedError

    def _poll(self) -> None:
        self._stop_timer()
        if self._noise:
            self._line.send(disturbance(self.frame_end, self._rng))
        is_polled = self.card is not None and self._send_again(self.card)
        if self._noise or is_polled:
            self._timer = self._loop.call_later(self.period_s, self._poll)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
