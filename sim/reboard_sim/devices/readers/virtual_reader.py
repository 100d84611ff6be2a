"""The base class of the virtual card readers, the virtual reader of each kind, and the deck of cards."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from random import Random
from typing import Any, ClassVar, NoReturn, Self

from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.errors import ReboardError
from reboard_sim.board.line import Tape
from reboard_sim.board.serial_line import Transmission, VirtualSerialLine
from reboard_sim.devices.device import VirtualBoard, VirtualDevice, simulated
from reboard_sim.devices.readers.frame_decoders import Piece, as_hex

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


class NoSuchCardError(ReboardError, ValueError):
    """An error for a card that the reader cannot read."""


class VirtualReader(VirtualDevice, ABC):
    """A virtual card reader in a slot.

    `card` has the hex digits of the card in the slot, or ``None``. The card stays in the slot when the reader loses its
    power.
    """

    card: str | None = None

    reports_once = False
    """Whether the reader reports only the insertion of a card, not its removal. Users tap cards on such a reader."""

    tags: ClassVar[Mapping[str, str]] = {}
    """The tags that users have besides the deck, such as figures: their names, and ten hex digits for each."""

    meanings: ClassVar[Mapping[str, str]] = {}
    """The meaning of each fault that only readers of this kind have, keyed by its name."""

    is_noisy = False
    """Whether the reader sends disturbances, or its contacts chatter."""

    flickers = False
    """Whether the reader sometimes loses a card that stays in the slot, or reports it again."""

    is_garbled = False
    """Whether the reader sends damaged data: noise, cut answers, or a comma in the tag."""

    @classmethod
    @abstractmethod
    def wired(cls, config: Any, board: VirtualBoard) -> Self:
        """Return a reader with this *config* of the firmware, connected to *board*."""

    @property
    def tape(self) -> Tape[Any] | None:
        """The traffic of the reader's line, for the view "Inside". ``None``: it is on pins."""
        return None

    def decoder(self) -> Callable[[Any], Iterable[Piece]]:
        """Return a function that splits an item of `tape` into pieces."""
        raise NotImplementedError

    @staticmethod
    def says(card: str, /) -> str:
        """Return the tag that the firmware reads from *card*. Raises `NoSuchCardError` if it cannot be read."""
        return card

    @abstractmethod
    def put(self, card: str, /) -> None:
        """Insert *card*, replacing any card in the slot. Raises `NoSuchCardError` if it cannot be read."""

    def take(self) -> None:
        """Remove the card from the slot, if there is one."""
        self.card = None

    def noise(self, on: bool, /) -> None:
        """Begin or end `is_noisy`."""
        self.is_noisy = on

    def flicker(self, on: bool, /) -> None:
        """Begin or end `flickers`."""
        self.flickers = on

    def garble(self, on: bool, /) -> None:
        """Begin or end `is_garbled`."""
        self.is_garbled = on

    @abstractmethod
    def plug(self) -> None:
        """Plug the reader in, unless it is plugged in already."""

    @abstractmethod
    def unplug(self) -> None:
        """Unplug the reader. Can be called more than once."""

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

    def shows(self) -> Collection[str]:
        return [card_name(self.card) if self.card else "empty"]

    def state(self) -> object:
        name = self.card and card_name(self.card)
        return {"card": self.card, "name": name, "taps": self.reports_once, "tags": self.tags}


class VirtualSerialReader(VirtualReader):
    """A virtual card reader on a serial *line*, at a *baud_rate*."""

    baud_rate = 9600

    def __init__(self, line: VirtualSerialLine, *, rng: Random) -> None:
        self._loop = asyncio.get_running_loop()
        self._line = line
        self._rng = rng
        line.baud_rate = self.baud_rate

    @classmethod
    def wired(cls, config: Any, board: VirtualBoard) -> Self:
        return cls(board.add_serial_line(config.port), rng=board.rng)

    @property
    def tape(self) -> Tape[Any]:
        return self._line.traffic

    def decoder(self) -> Callable[[Transmission], Iterable[Piece]]:
        return lambda sent: [Piece(as_hex(sent.data), "")]

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {**super().faults(), "garbled": self.garble, "shared": self._line.share}

    def plug(self) -> None:
        self._line.plug()

    def unplug(self) -> None:
        self._line.unplug()


ENTRY_POINTS = "reboard_sim.readers"


class NoVirtualReader(VirtualDevice):
    """The stand-in for a reader of a *kind* that has no virtual device. It takes no card, and says what is missing."""

    card = None

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def says(self, card: str) -> NoReturn:
        """Raise `NoSuchCardError`."""
        raise NoSuchCardError(
            f"The reader {self._kind} cannot be simulated: it has no virtual device. Its package needs one, which the "
            f"entry point {self._kind} in the group {ENTRY_POINTS} names. examples/readers/ has an example."
        )

    def take(self) -> None:
        """Do nothing: there is no card."""

    def acts(self) -> Mapping[str, Callable[..., None]]:
        return {"insert": self.says, "remove": self.take}


def virtual_reader(kind: str) -> type[VirtualReader] | None:
    """Return the class of the virtual readers of a *kind* of reader, or ``None`` if it cannot be simulated.

    It is the ``READER`` of the module with the name of the kind in this package, or an entry point of a plug-in in the
    group `ENTRY_POINTS`.
    """
    reader: type[VirtualReader] | None = simulated(__package__ or "", kind, ENTRY_POINTS, "READER")
    return reader


def meanings() -> Iterator[tuple[str, str]]:
    """Yield the faults that only readers of some kinds have, each with its meaning."""
    for reader in filter(None, map(virtual_reader, READER_KINDS)):
        yield from reader.meanings.items()
