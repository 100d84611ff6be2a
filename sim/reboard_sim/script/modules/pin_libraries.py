"""gpiozero's other pin factories, which return the virtual pins, and the pin libraries that the virtual Pi lacks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

from reboard_sim.script.modules.machine import Machine, VirtualModule
from reboard_sim.script.modules.missing_modules import PIN_LIBRARIES, USE_OTHER_PINS

HERE = {None, "", "localhost", "127.0.0.1", "::1"}


def _pins(machine: Machine, chip: int = 0) -> Any:
    return machine.board.pins


def _pins_at(machine: Machine, host: str | None = None, port: int | None = None) -> Any:
    if host not in HERE:
        raise OSError(f"no Pi answers at {host}: the virtual Pi has no network. Use the pins of this Pi instead")
    return machine.board.pins


FACTORIES: dict[str, tuple[str, Callable[..., Any]]] = {
    "gpiozero.pins.lgpio": ("LGPIOFactory", _pins),
    "gpiozero.pins.native": ("NativeFactory", _pins),
    "gpiozero.pins.pigpio": ("PiGPIOFactory", _pins_at),
    "gpiozero.pins.rpigpio": ("RPiGPIOFactory", _pins),
}
"""The pin factories of gpiozero by module: the name of the class, and what a program gets from it."""


class _Lacking(MetaPathFinder):
    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname in PIN_LIBRARIES:
            raise ModuleNotFoundError(f"the virtual Pi has no {fullname}. {USE_OTHER_PINS}", name=fullname)


@contextmanager
def pin_libraries(machine: Machine) -> Iterator[None]:
    """Let gpiozero's pin factories return the pins of *machine* in the ``with`` block.

    Imports of the libraries in `PIN_LIBRARIES` fail there, with an error that says what to use.
    """
    made: dict[str, ModuleType] = {
        name: VirtualModule(name, {factory: partial(make, machine)}, f"use {factory}, or no pin factory at all")
        for name, (factory, make) in FACTORIES.items()
    }
    before = {name: sys.modules.pop(name) for name in (*made, *PIN_LIBRARIES) if name in sys.modules}
    sys.modules |= made
    lacking = _Lacking()
    sys.meta_path.insert(0, lacking)
    try:
        yield
    finally:
        sys.meta_path.remove(lacking)
        for name in made:
            sys.modules.pop(name, None)
        sys.modules |= before
