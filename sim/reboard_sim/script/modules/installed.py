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

LIBRARIES = (rpi_gpio, smbus, spidev, pyserial, simpleaudio, sounddevice)

KEPT = {"reboard", "reboard_sim", "gpiozero"}
"""Packages that reach the virtual Pi without these libraries."""


@contextmanager
def libraries(machine: Machine) -> Iterator[None]:
    """Let imports find the libraries on *machine* in the ``with`` block, instead of those that are installed.

    Packages that are built on them, such as RPLCD, are imported anew at both ends of the block.
    """
    made: dict[str, ModuleType] = {}
    for library in LIBRARIES:
        made |= library.modules(machine)
    before = {name: module for name in made if (module := sys.modules.get(name))}
    _forget_users_of(before.values())
    sys.modules |= made
    try:
        with aplay(machine):
            yield
    finally:
        _forget_users_of(made.values())
        for name in made:
            sys.modules.pop(name, None)
        sys.modules |= before


def _forget_users_of(modules: Collection[ModuleType]) -> None:
    """Forget the installed packages that have imported one of *modules*, or a class or function of it."""
    packages = {"reboard_sim", *(module.__name__.partition(".")[0] for module in modules)}
    theirs = {id(module) for module in modules}
    theirs |= {id(value) for module in modules for value in vars(module).values() if _package_of(value) in packages}
    using = {
        name.partition(".")[0]
        for name, module in tuple(sys.modules.items())
        if _is_installed(module) and any(id(value) in theirs for value in tuple(vars(module).values()))
    }
    using -= KEPT
    for name in tuple(sys.modules):
        if name.partition(".")[0] in using:
            del sys.modules[name]


def _package_of(value: object) -> str:
    return str(getattr(value, "__module__", "")).partition(".")[0] if callable(value) else ""


def _is_installed(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None) or ""
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)
