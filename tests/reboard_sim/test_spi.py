"""gpiozero's SPI on the virtual pins, and the converters of the family MCP3xxx."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import gpiozero
import pytest

from reboard.devices.device import FittedDevice
from reboard_sim.board.adc import MODELS, Mcp3xxx
from reboard_sim.board.pins import VirtualPins
from reboard_sim.board.spi import SpiWires, VirtualSpiDevice
from reboard_sim.devices.analog_input import ANALOG, AnalogConfig
from reboard_sim.devices.device import VirtualBoard

WIRES = {"clock": 4, "mosi": 17, "miso": 27, "select": 22}
"""Pins that have no hardware SPI."""


@pytest.fixture
def pins(monkeypatch: pytest.MonkeyPatch) -> Iterator[VirtualPins]:
    pins = VirtualPins(lambda: 0.0)
    monkeypatch.setattr(gpiozero.Device, "pin_factory", pins)
    yield pins
    pins.close()


def placed(chip: Mcp3xxx, pins: VirtualPins) -> dict[str, int]:
    """Put *chip* on the wires. Return the arguments for gpiozero."""
    place = VirtualSpiDevice(selected=chip.selected)
    SpiWires(place, **{name: pins.line(number) for name, number in WIRES.items()})
    return {f"{name}_pin": number for name, number in WIRES.items()}


@pytest.mark.parametrize("is_hardware", [True, False])
@pytest.mark.parametrize("model", MODELS)
def test_gpiozero_reads_each_channel_of_each_converter(model: str, is_hardware: bool, pins: VirtualPins) -> None:
    chip = Mcp3xxx(MODELS[model])
    chip.levels = [(1 + channel) / len(chip.levels) for channel in range(len(chip.levels))]
    pins.spi_devices[0, 1] = VirtualSpiDevice(selected=chip.selected)
    how = {"device": 1} if is_hardware else placed(chip, pins)
    for channel, level in enumerate(chip.levels):
        arguments: dict[str, Any] = {"channel": channel} if len(chip.levels) > 1 else {}
        with getattr(gpiozero, model)(**arguments, **how) as converter:
            assert converter.value == pytest.approx(level, abs=2 / (1 << converter.bits))


@pytest.mark.parametrize("is_hardware", [True, False])
@pytest.mark.parametrize(("model", "other_way"), [("MCP3008", 0), ("MCP3202", 0), ("MCP3304", -0.5)])
def test_a_pair_of_channels_is_read_as_their_difference(
    model: str, other_way: float, is_hardware: bool, pins: VirtualPins
) -> None:
    chip = Mcp3xxx(MODELS[model])
    chip.levels[:2] = 0.25, 0.75
    pins.spi_devices[0, 0] = VirtualSpiDevice(selected=chip.selected)
    how = {} if is_hardware else placed(chip, pins)
    for channel, difference in ((1, 0.5), (0, other_way)):
        with getattr(gpiozero, model)(channel, differential=True, **how) as converter:
            assert converter.value == pytest.approx(difference, abs=2 / (1 << converter.bits))


@pytest.mark.parametrize("is_hardware", [True, False])
def test_a_chip_for_whole_bytes_gets_those_of_each_selection(is_hardware: bool, pins: VirtualPins) -> None:
    received: list[bytes] = []
    place = VirtualSpiDevice(received.append)
    pins.spi_devices[0, 0] = place
    SpiWires(place, **{name: pins.line(number) for name, number in WIRES.items()})
    with pins.spi(**{} if is_hardware else {f"{name}_pin": number for name, number in WIRES.items()}) as spi:
        spi.write(b"\x0c\x01")
        spi.write(b"\x01\x81")
    assert received == [b"\x0c\x01", b"\x01\x81"]


def test_chips_on_the_same_wires_leave_them_to_each_other(pins: VirtualPins) -> None:
    chip, other = Mcp3xxx(MODELS["MCP3008"]), Mcp3xxx(MODELS["MCP3008"])
    chip.levels[0] = other.levels[1] = 1.0
    arguments = placed(chip, pins)
    wires = {name: pins.line(number) for name, number in WIRES.items()} | {"select": pins.line(26)}
    second = SpiWires(VirtualSpiDevice(selected=other.selected), **wires)
    with gpiozero.MCP3008(0, **arguments) as first, gpiozero.MCP3008(1, **{**arguments, "select_pin": 26}) as last:
        assert (first.value, last.value, first.value) == (1, 1, 1)
        second.close()
        assert last.value < 0.01
    assert not pins.shorts


def test_an_analogue_input_leaves_an_empty_place() -> None:
    board = VirtualBoard(lambda: 0.0, Random(1))
    inputs = [
        board.open_device(FittedDevice(name, name, ANALOG, AnalogConfig(channel=channel)))
        for channel, name in enumerate(("pot", "light"))
    ]
    with gpiozero.MCP3008(1, pin_factory=board.pins) as converter:
        for remaining in (2, 1):
            assert converter.value > 0.4, f"with {remaining} of its inputs"
            inputs.pop(0).close()
        assert converter.value < 0.01
    board.pins.close()


def test_a_bus_without_a_chip_is_read_as_zeros(pins: VirtualPins, recwarn: pytest.WarningsRecorder) -> None:
    with gpiozero.MCP3008(0) as converter:
        assert converter.raw_value == 0
        assert "port=0, device=0" in repr(converter)
        chip = Mcp3xxx(MODELS["MCP3008"])
        chip.levels[0] = 1.0
        pins.spi_devices[0, 0].place(None, chip.selected)
        assert converter.value == 1
    assert not recwarn


def test_a_program_shares_nothing_with_that_from_before_a_power_cut(pins: VirtualPins) -> None:
    before = gpiozero.MCP3008(0), gpiozero.Energenie(1, initial_value=None)
    pins.power_off()
    pins.power_on()
    chip = Mcp3xxx(MODELS["MCP3008"])
    chip.levels[:2] = 1, 1
    pins.spi_devices[0, 0] = VirtualSpiDevice(selected=chip.selected)
    with gpiozero.MCP3008(0) as now, gpiozero.Energenie(1, initial_value=None) as lamp:
        del before
        lamp.on()
        assert now.value == gpiozero.MCP3008(1).value == 1
        assert pins.line(27).level
