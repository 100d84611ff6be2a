"""The machine's display: what the kernel saw go over the bus, shown on the simulator's own glass."""

from __future__ import annotations

from reboard_sim.devices.display import Hd44780, Pcf8574
from tests.vm.machine.trace import Trace


class Hd44780Bus:
    """The display at *address* of the bus whose every byte the kernel notes. Nobody answers there but a stub."""

    def __init__(self, trace: Trace, *, bus: int, address: int) -> None:
        self._trace = trace
        self._bus = bus
        self._address = address

    def lines(self) -> list[str]:
        """Its two lines, if everything since it got its power is still in the trace."""
        backpack = Pcf8574(Hd44780())
        backpack.power(True)
        for entry in self._trace.entries("smbus_write"):
            if int(entry.values["bus"]) == self._bus and int(entry.values["address"], 16) == self._address:
                backpack.receive(int(entry.values["byte"], 16))
        return backpack.lcd.lines()
