"""A virtual analogue input: a potentiometer or sensor at a channel of an MCP3008 or another chip of its family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from reboard.config.kinds import Choice, Section, Whole
from reboard.devices.device import DeviceKind, FittedDevice
from reboard.devices.spi_bus import SpiConfig
from reboard.record import Record
from reboard_sim.board.adc import MODELS, Mcp3xxx
from reboard_sim.board.pins import GPIOS
from reboard_sim.board.spi import SpiWires, VirtualSpiDevice
from reboard_sim.devices import slider
from reboard_sim.devices.device import VirtualBoard

FORMS = slider.FORMS

GPIO = Whole(GPIOS[0], GPIOS[-1])


class SpiPins(Record):
    """The pins of a chip, by BCM number."""

    clock: Annotated[int, GPIO, "to the clock, CLK"]
    mosi: Annotated[int, GPIO, "to the input of the chip, DIN"]
    miso: Annotated[int, GPIO, "from the output of the chip, DOUT"]
    select: Annotated[int, GPIO, "to the chip select, CS"]


def hardware_pins(chip_select: int) -> SpiPins:
    """Return the pins of SPI bus 0, with *chip_select* 0 or 1."""
    pins = SpiConfig(chip_select=chip_select).pins
    return SpiPins(clock=pins["clk"], mosi=pins["din"], miso=9, select=pins["cs"])


HARDWARE = {hardware_pins(chip_select): chip_select for chip_select in (0, 1)}


class AnalogConfig(Record):
    """The place of an analogue input: its *chip*, the *channel* there, and the *pins* of the chip."""

    chip: Annotated[str, Choice(*MODELS), "its chip"] = "MCP3008"
    channel: Annotated[int, Whole(0, 7), "the channel of the chip"] = 0
    pins: Annotated[SpiPins, Section(SpiPins), "the pins of the chip. Left out: SPI bus 0, chip select 0"] = (
        hardware_pins(0)
    )

    def __post_init__(self) -> None:
        last = MODELS[self.chip].channels - 1
        if self.channel > last:
            raise ValueError(f"the {self.chip} has no channel {self.channel}: use one from 0 to {last}")


class AnalogKind(DeviceKind[AnalogConfig, Any]):
    """The kind of analogue inputs."""

    name = "analog_input"

    def pins(self, config: AnalogConfig) -> Mapping[str, int]:
        return config.pins.as_json()


ANALOG = AnalogKind()
SETTINGS = ANALOG, Section(AnalogConfig)


class ChipOnBoard:
    """A chip on *board*, for hardware SPI and for programs that move its pins."""

    def __init__(self, config: AnalogConfig, board: VirtualBoard) -> None:
        self.config = config
        self.chip = Mcp3xxx(MODELS[config.chip])
        self.users: set[AnalogInput] = set()
        chip_select = HARDWARE.get(config.pins)
        self.place = VirtualSpiDevice()
        if chip_select is not None:
            self.place = board.spi_devices.setdefault((0, chip_select), self.place)
        self.place.place(None, self.chip.selected)
        pins = config.pins
        line = board.pins.line
        self.wires = SpiWires(
            self.place, clock=line(pins.clock), mosi=line(pins.mosi), miso=line(pins.miso), select=line(pins.select)
        )

    def is_at(self, config: AnalogConfig) -> bool:
        """Return whether *config* is that of a channel of this chip."""
        return (config.chip, config.pins) == (self.config.chip, self.config.pins)

    def close(self) -> None:
        """Remove the chip from the board."""
        self.place.place(None)
        self.wires.close()


class AnalogInput(slider.VirtualSlider):
    """A slider from 0 to 1, whose value is the voltage at *channel* of the chip *at*, as a share of its reference."""

    def __init__(self, at: ChipOnBoard, channel: int) -> None:
        super().__init__()
        self.at = at
        at.users.add(self)
        self.on_change.append(lambda value: at.chip.levels.__setitem__(channel, value))
        self.set(self.value)

    def power_on(self) -> None:
        self.at.place.has_power = True

    def power_off(self) -> None:
        self.at.place.has_power = False

    def close(self) -> None:
        if self in self.at.users:
            self.at.users.remove(self)
            if not self.at.users:
                self.at.close()


def widget(_: FittedDevice[Any, Any]) -> str:
    """Return the name of the control."""
    return "slider"


def wired(device: FittedDevice[AnalogConfig, Any], board: VirtualBoard) -> AnalogInput:
    """Return an input in the config of *device*. Inputs with the same chip and pins are channels of one chip."""
    config = device.config
    assert config is not None
    chips = (other.at for other in board.devices.values() if isinstance(other, AnalogInput))
    at = next((each for each in chips if each.is_at(config)), None)
    return AnalogInput(at or ChipOnBoard(config, board), config.channel)
