"""What the libraries for programs need of the virtual Pi, and the modules under whose names programs import them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from reboard.script.shared_board import SharedSink
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.devices.device import VirtualBoard


class I2cAddress(NamedTuple):
    """An address on I²C bus *bus*, to which a program writes."""

    bus: int
    address: int


class SpiPlace(NamedTuple):
    """A place on SPI bus *bus*, which a program opens."""

    bus: int
    chip_select: int


class SerialPort(NamedTuple):
    """A serial port, which a program opens."""

    path: str


def _nothing(*_: object) -> None:
    pass


@dataclass(frozen=True)
class Machine:
    """The virtual Pi of a program: its *board*, and its *sound_card*.

    The libraries call *here* before each use of the board, so that the thread of a program takes turns with the event
    loop. *opened* gets what a program opens without gpiozero: each ``Channel`` of a ``setup``, in a list, and an
    `I2cAddress`, `SpiPlace` or `SerialPort` before the first use. It can put a device there.
    """

    board: VirtualBoard
    sound_card: VirtualSoundCard
    here: Callable[[], object] = _nothing
    opened: Callable[[Any], object] = _nothing
    speaker: SharedSink = field(init=False)
    """The mixer of the sound card: each library, and reboard's own classes, are a ``SinkPart`` of it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "speaker", SharedSink(self.sound_card, lambda: None))


class VirtualModule(ModuleType):
    """A module with *contents* by name. *instead* says what to use in place of a name that it lacks."""

    def __init__(self, name: str, contents: Mapping[str, object], instead: str) -> None:
        super().__init__(name, f"{name} on the virtual Pi.")
        vars(self).update(contents, __spec__=ModuleSpec(name, None), __all__=[*contents])
        self._instead = instead

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the virtual Pi's {self.__name__} has no {name}: {self._instead}", name=name, obj=self)
