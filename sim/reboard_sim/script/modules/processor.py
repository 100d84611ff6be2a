"""The temperature of the processor of the virtual Pi, which a program reads from a file, as gpiozero does."""

from __future__ import annotations

import builtins
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from reboard_sim.script.modules.machine import Machine
from reboard_sim.script.replacements import only_here

FILE = "/sys/class/thermal/thermal_zone0/temp"
"""The file of the Linux kernel. It has thousandths of a degree Celsius."""


class Processor:
    """What a program opens when it reads the temperature."""

    LABEL = "cpu.temperature"
    """The label of its slider, which no variable of the program can have."""


@contextmanager
def processor(machine: Machine) -> Iterator[None]:
    """Let the program read the temperature that the slider on the bench has, in the ``with`` block."""
    real = io.open

    @only_here(real)
    def open_file(_: object, file: Any, mode: str = "r", *how: Any, **options: Any) -> Any:
        if str(file) != FILE:
            return real(file, mode, *how, **options)
        machine.opened(Processor())
        slider: Any = machine.board.devices[Processor.LABEL]
        content = f"{1000 * slider.value:.0f}\n"
        return io.BytesIO(content.encode()) if "b" in mode else io.StringIO(content)

    builtins.open = io.open = open_file
    try:
        yield
    finally:
        builtins.open = io.open = real
