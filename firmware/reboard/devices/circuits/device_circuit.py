"""The interface of a device kind's circuit. Only ``reboard.wiring`` loads circuits, by the name of the device kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from reboard.devices.device import FittedDevice
from reboard.finding import Finding, note
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import Model, read_data
from reboard.netlist.netlist_builder import Fact

if TYPE_CHECKING:  # a table without schemdraw has no Pen
    from reboard.netlist.schematic import Pen

Device = FittedDevice[Any, Any]


class CircuitDrawing(NamedTuple):
    """A function that draws a circuit, and the width and height of the drawing, in drawing units."""

    draw: Callable[[Pen], None]
    size: tuple[float, float]


USB_DRAWING = CircuitDrawing(lambda pen: pen.on_usb(), (9.0, 2.4))
"""The drawing of one part with a USB plug."""


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


def without_parts(device: Device, kind: str, noun: str, advice: str) -> Finding:
    """Return the finding on a device whose *kind*, a plug-in's, has no file with its parts. *noun* names the device."""
    return note(
        f"{device.kind.area}.unknown",
        f"The kind of the {noun}, {kind}, has no file {kind}.toml with its parts and connections, so its supply, pins "
        "and signal levels are not checked, and the drawing leaves it out.",
        f"{advice} A plug-in has the file beside its module: examples/readers/ shows one.",
    )


def _plain(settings: object, prefix: str = "") -> Mapping[str, Fact]:
    if not is_dataclass(settings):
        return {}
    values = {f"{prefix}{field.name}": getattr(settings, field.name) for field in fields(settings)}
    return {name: value for name, value in values.items() if value is None or isinstance(value, str | int | float)}
