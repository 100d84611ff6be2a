"""The circuit of each device kind: ours, and those of plug-ins."""

from __future__ import annotations

import logging
from functools import cache
from importlib import import_module, resources
from importlib.metadata import entry_points
from importlib.util import find_spec

from reboard.devices import circuits
from reboard.devices.circuits.device_circuit import DeviceCircuit
from reboard.devices.circuits.module import ModuleCircuit
from reboard.errors import PLUG_IN_ERRORS, PLUG_IN_REMEDY, failure
from reboard.netlist.hardware_data import read_data

ENTRY_POINTS = "reboard.circuits"
log = logging.getLogger(__name__)


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
