"""The netlist of a config, built from the circuits of its devices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from reboard.accessories.accessory import devices_of
from reboard.accessories.installed import accessories
from reboard.devices.circuits.circuit_lookup import circuit_of_kind
from reboard.devices.circuits.device_circuit import DeviceCircuit
from reboard.devices.device import FittedDevice
from reboard.devices.speaker import SPEAKER, SpeakerWiring, speaker_device
from reboard.netlist.circuit import Circuit, Subcircuit
from reboard.netlist.netlist_builder import DeviceFacts, NetlistBuilder
from reboard.table_config import TableConfig

Device = FittedDevice[Any, Any]


def title_of(accessory: str) -> str:
    """Return the title that users see for an accessory or the speaker."""
    return "Sound" if accessory == SPEAKER else accessories()[accessory].title


def all_devices(config: TableConfig) -> Iterator[tuple[Device, DeviceCircuit, Any]]:
    """Yield each device that has a circuit, with the circuit and the device's settings in ``[wiring]``.

    Devices that *config* leaves out are included, except the speaker.
    """
    devices = [
        devices_of(config.accessory(name) if name in config.sections else accessory, config.section(name))
        for name, accessory in accessories().items()
    ]
    for device in chain.from_iterable(devices):
        if circuit := circuit_of_kind(device.kind.name):
            yield device, circuit, config.wiring.of(device)
    if config.speaker and (circuit := circuit_of_kind(SPEAKER)):
        yield speaker_device(config.speaker), circuit, _speaker_wiring(config)


def _speaker_wiring(config: TableConfig) -> SpeakerWiring:
    return SpeakerWiring(config.wiring.speaker, config.wiring.speaker_ohm)


def _drawn_wiring(device: Device) -> Any:
    if device.kind.name == SPEAKER:
        return SpeakerWiring()
    return device.drawn_wiring()


def circuit_of(config: TableConfig) -> Circuit:
    """Return the circuit of all devices of *config*, with the settings in ``[wiring]``."""
    builder = NetlistBuilder()
    sheets = {name: number for number, name in enumerate(accessories(), start=1)}
    for device, circuit, wiring in all_devices(config):
        if device.config is None:
            continue
        name = device.label.rpartition(".")[2]
        file: dict[str, Any] = _named(circuit.file(device), name)
        drawn = circuit.facts(device, _drawn_wiring(device))
        drawn |= {name: fact for name, fact in file.get("drawn", {}).items() if name in drawn}
        sheet = sheets.get(device.label.partition(".")[0], 0)
        subcircuit = Subcircuit(device.label, file.get("circuit", name), device.kind.name, sheet)
        pins = device.kind.pins(device.config)
        builder.add(DeviceFacts(subcircuit, pins, circuit.facts(device, wiring), drawn), file)
    return builder.circuit()


def _named(data: Any, name: str) -> Any:
    match data:
        case str():
            return data.replace("{name}", name)
        case list():
            return [_named(entry, name) for entry in data]
        case dict():
            return {key: _named(entry, name) for key, entry in data.items()}
    return data
