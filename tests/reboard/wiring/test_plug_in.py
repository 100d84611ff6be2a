"""An accessory from a plug-in has its wiring listed, drawn and checked like ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Annotated, Any

import pytest

from reboard.accessories.accessory import Accessory
from reboard.accessories.question_block.accessory import QUESTION_BLOCK
from reboard.commands.check import electrical_findings
from reboard.config.kinds import Section
from reboard.config.pins_and_ports import pin
from reboard.devices.circuits import circuit_lookup, lamp
from reboard.devices.device import DeviceKind, FittedDevice
from reboard.devices.lamp import LAMP
from reboard.finding import Level
from reboard.netlist.circuit import connections
from reboard.wiring.drawing import sheets_of
from reboard.wiring.table_netlist import circuit_of, title_of
from tests.plugged_in import installed
from tests.reboard.wiring.tables import BLOCK, table


class BuzzerKind(DeviceKind[int, Any]):
    """A kind that has no circuit."""

    name = "gong"

    def pins(self, config: int) -> dict[str, int]:
        return {"": config}

    def open(self, *_: Any) -> Any:
        raise AssertionError("a wiring list opens no device")


@dataclass(frozen=True, slots=True)
class DragonConfig:
    eyes: Annotated[int, pin]
    voice: Annotated[int, pin]


class Dragon(Accessory[DragonConfig]):
    name = "dragon"
    title = "Dragon"
    section = Section(DragonConfig)

    fitted: Sequence[FittedDevice[Any, Any]] = (
        FittedDevice("dragon.eyes", "dragon's eyes", LAMP),
        FittedDevice("dragon.voice", "dragon's voice", BuzzerKind()),
    )

    def open(self, *_: object) -> Any:
        raise AssertionError("a wiring list opens no accessory")


@pytest.fixture
def dragon() -> Iterator[str]:
    """A config with a plug-in, which is installed as long as the test lasts."""
    with installed(QUESTION_BLOCK, Dragon()):
        yield f"{BLOCK}[dragon]\neyes = 5\nvoice = 6\n"


def test_a_device_of_a_plug_in_is_wired_beside_ours_of_the_same_kind(dragon: str) -> None:
    circuit = circuit_of(table(dragon))
    ends = [(end.part.subcircuit.label, end.part.name, end.to) for end in connections(circuit) if end.pin]
    assert ("block.lamp", "lamp resistor", "GPIO27, pin 13") in ends
    assert ("dragon.eyes", "lamp resistor", "GPIO5, pin 29") in ends
    assert len({end[0] for end in ends if end[2].startswith("ground")}) == 3
    assert len({end[2].partition(", with")[0] for end in ends if end[2].startswith("ground")}) == 3, "each has its own"
    assert b"eyes" in sheets_of(circuit, "A table")[0]
    assert title_of("dragon") == "Dragon"


def test_the_wiring_tables_are_for_devices_of_a_plug_in_too(dragon: str) -> None:
    config = table(dragon.replace("lamp = 27\n", "") + "[wiring.lamp]\nresistor_ohm = 0\n")
    wrong = [finding for finding in electrical_findings(config) if finding.level is Level.WRONG]
    assert [finding.name for finding in wrong] == ["currents.pin"]
    assert "GPIO5" in wrong[0].what


def test_a_device_of_a_plug_in_is_checked(dragon: str) -> None:
    findings = {finding.name: finding.what for finding in electrical_findings(table(dragon))}
    assert "GPIO5" in findings["pins.start"]


def test_a_plug_in_brings_the_circuit_of_its_own_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    bell = EntryPoint("bell", "reboard.devices.circuits.lamp:CIRCUIT", circuit_lookup.ENTRY_POINTS)
    monkeypatch.setattr(circuit_lookup, "entry_points", lambda **_: [bell])
    assert circuit_lookup.circuit_of_kind(bell.name) is lamp.CIRCUIT
