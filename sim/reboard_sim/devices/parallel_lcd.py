"""A virtual text display with an HD44780 whose RS, E and four data lines are on pins, without a backpack."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any

from reboard.config.kinds import Section, Several
from reboard.config.pins_and_ports import pin
from reboard.devices.device import DeviceKind, FittedDevice
from reboard.record import Record
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.displays.hd44780_i2c import VirtualHd44780

DATA_LINES = 4


class LcdConfig(Record):
    """The pins of a display. Its R/W is connected to ground, and its backlight to the supply."""

    rs: Annotated[int, pin, "to RS"]
    enable: Annotated[int, pin, "to E"]
    data: Annotated[tuple[int, ...], Several(pin, DATA_LINES, DATA_LINES), "to D4, D5, D6 and D7"]


class LcdKind(DeviceKind[LcdConfig, Any]):
    """The kind of displays on pins."""

    name = "parallel_lcd"

    def pins(self, config: LcdConfig) -> Mapping[str, int]:
        return {"rs": config.rs, "e": config.enable, **{f"d{4 + bit}": line for bit, line in enumerate(config.data)}}


LCD = LcdKind()
SETTINGS = LCD, Section(LcdConfig)


class ParallelLcd(VirtualDevice):
    """An HD44780 that reads its data lines when E falls."""

    def __init__(self, config: LcdConfig, board: VirtualBoard) -> None:
        self._display = VirtualHd44780(0, lambda: board.i2c_bus(1))
        self.lcd = self._display.lcd
        self._rs, *self._data = (board.pins.line(number) for number in (config.rs, *config.data))
        self._enable = board.pins.line(config.enable)
        self._enable.on_change.append(self._changed)

    def power_on(self) -> None:
        self._display.backpack.power(True)

    def power_off(self) -> None:
        self._display.backpack.power(False)

    def close(self) -> None:
        if self._changed in self._enable.on_change:
            self._enable.on_change.remove(self._changed)

    def state(self) -> object:
        return self._display.state()

    def shows(self) -> Collection[str]:
        return self._display.shows()

    def _changed(self, _t: float, duty: float) -> None:
        if not duty and self.lcd.has_power:
            self.lcd.latch(sum(line.level << bit for bit, line in enumerate(self._data)), self._rs.level)


def widget(_: FittedDevice[Any, Any]) -> str:
    """Return the name of the control."""
    return "display"


def wired(device: FittedDevice[LcdConfig, Any], board: VirtualBoard) -> ParallelLcd:
    """Return a display on the pins in the config of *device*."""
    assert device.config is not None
    return ParallelLcd(device.config, board)
