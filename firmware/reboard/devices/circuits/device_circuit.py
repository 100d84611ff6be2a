"""The interface of a device kind's circuit. Only ``reboard.wiring`` loads circuits, by the name of the device kind."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module, resources
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from reboard.devices import circuits
from reboard.devices.device import FittedDevice
from reboard.errors import PLUG_IN_ERRORS, PLUG_IN_REMEDY, failure
from reboard.finding import Finding
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import Model, read_data
from reboard.netlist.netlist_builder import Fact

if TYPE_CHECKING:  # a table without schemdraw has no Pen
    from reboard.netlist.schematic import Pen

ENTRY_POINTS = "reboard.circuits"

Device = FittedDevice[Any, Any]

log = logging.getLogger(__name__)


class CircuitDrawing(NamedTuple):
    """A function that draws a circuit, and the width and height of the drawing, in drawing units."""

    draw: Callable[[Pen], None]
    size: tuple[float, float]


class DeviceCircuit(ABC):
    """The circuit of a device kind. The parameter *wiring* of its methods is the device's setting in ``[wiring]``."""

    def facts(self, device: Device, wiring: Any) -> dict[str, Fact]:
        """Return the facts for the circuit file: by default the device's kind, its settings, and those in *wiring*."""
        return {"device": type(device.kind).__name__, **_plain(device.config), **_plain(wiring, "wiring.")}

    def file(self, device: Device) -> Mapping[str, Any]:
        """Return the content of the circuit file of *device*: by default ``<kind>.toml`` beside the class."""
        return read_data(type(self).__module__.rpartition(".")[0], device.kind.name)

    def rules(self, circuit: Circuit, device: Device, wiring: Any, model: Model) -> Iterator[Finding]:
        """Yield the findings on *device*, by default none. Its config is ``None`` if ``table.toml`` leaves it out."""
        return iter(())

    def pin_ma(self, circuit: Circuit, device: Device, wiring: Any) -> float:
        """Return the current that *device* draws from its pins in mA (default: 0), excluding `Circuit.pull_ma`."""
        return 0.0

    @abstractmethod
    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        """Return the drawing of the circuit. *kinds* are the kinds of its parts."""


@cache
def circuit_of_kind(kind: str) -> DeviceCircuit | None:
    """Return the circuit of a device kind, or ``None`` if it has no circuit.

    A kind of ours that has only the file ``<kind>.toml`` is a module: the last part in the file. A plug-in names the
    `DeviceCircuit` of its own kind with an entry point in the group ``reboard.circuits``. Its ``<kind>.toml`` is beside
    its module.
    """
    module = f"{circuits.__name__}.{kind}"
    if find_spec(module):
        loaded: DeviceCircuit = import_module(module).CIRCUIT
        return loaded
    if resources.files(circuits).joinpath(f"{kind}.toml").is_file():
        from reboard.devices.circuits.module import ModuleCircuit  # it imports this module

        *_, part = read_data(circuits.__name__, kind)["part"]
        return ModuleCircuit(part["name"], *part["to"])
    for entry in entry_points(group=ENTRY_POINTS, name=kind):
        try:
            plugged_in = entry.load()
            if not isinstance(plugged_in, DeviceCircuit):
                raise TypeError(f"{entry.value} is not an instance of DeviceCircuit")
            return plugged_in
        except PLUG_IN_ERRORS as error:
            log.warning("devices of the kind %s have no circuit: %s. %s", kind, failure(error), PLUG_IN_REMEDY)
    return None


def _plain(settings: object, prefix: str = "") -> Mapping[str, Fact]:
    if not is_dataclass(settings):
        return {}
    values = {f"{prefix}{field.name}": getattr(settings, field.name) for field in fields(settings)}
    return {name: value for name, value in values.items() if value is None or isinstance(value, str | int | float)}
