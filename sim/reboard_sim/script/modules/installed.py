"""The libraries for a program, under the names by which it imports them."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from reboard_sim.script.modules import pyserial, rpi_gpio, simpleaudio, smbus, sounddevice, spidev
from reboard_sim.script.modules.aplay import aplay
from reboard_sim.script.modules.machine import Machine
from reboard_sim.script.modules.pin_libraries import pin_libraries
from reboard_sim.script.modules.processor import processor

LIBRARIES = (rpi_gpio, smbus, spidev, pyserial, simpleaudio, sounddevice)

KEPT = {"reboard", "reboard_sim", "gpiozero"}
"""Packages that reach the virtual Pi without these libraries."""


@contextmanager
def libraries(machine: Machine) -> Iterator[None]:
    """Let imports find the libraries on *machine* in the ``with`` block, instead of those that are installed.

    Python imports packages that use them, such as RPLCD, again after the begin and after the end of the block.
    """
    made: dict[str, ModuleType] = {}
    for library in LIBRARIES:
        made |= library.modules(machine)
    packages = {name.partition(".")[0] for name in made}
    before = {name: module for name, module in sys.modules.copy().items() if name.partition(".")[0] in packages}
    _forget_users_of([module for name, module in before.items() if name in made], packages)
    sys.modules |= made
    try:
        with aplay(machine), pin_libraries(machine), processor(machine):
            yield
    finally:
        _forget_users_of(made.values(), packages)
        for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
            del sys.modules[name]
        sys.modules |= before


def _forget_users_of(modules: Collection[ModuleType], packages: Collection[str]) -> None:
    """Forget the installed packages that have imported one of *modules*, or a class or function of their *packages*."""
    owners = {"reboard_sim", *packages}
    theirs = {id(module) for module in modules}
    theirs |= {
        id(value) for module in modules for value in vars(module).copy().values() if _package_of(value) in owners
    }
    using = {
        name.partition(".")[0]
        for name, module in sys.modules.copy().items()
        if _is_installed(module) and any(id(value) in theirs for value in vars(module).copy().values())
    }
    using -= KEPT
    using -= {*packages}
    for name in tuple(sys.modules):
        if name.partition(".")[0] in using:
            del sys.modules[name]


def _package_of(value: object) -> str:
    return str(getattr(value, "__module__", "")).partition(".")[0] if callable(value) else ""


def _is_installed(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None) or ""
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)
