"""The simulated accessories that are installed, with the forms, faults and things that they add to plays."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from reboard.accessories.installed import accessories
from reboard.devices.device import FittedDevice
from reboard.errors import PLUG_IN_ERRORS, PLUG_IN_REMEDY, NotInstalledError, failure
from reboard_sim.accessories.accessory import SimulatedAccessory
from reboard_sim.board.sound_card import FAULTS as SOUND_CARD_FAULTS
from reboard_sim.board.speech_program import FAULTS as SPEECH_FAULTS
from reboard_sim.devices.device import device_module, simulated_kinds
from reboard_sim.forms import CONTACTS, Form, SimulatedFault
from reboard_sim.seen_table import PlayedTable

ENTRY_POINTS = "reboard_sim.accessories"
log = logging.getLogger(__name__)


@cache
def simulated_accessories() -> Mapping[str, SimulatedAccessory]:
    """Return a simulated accessory for each installed one, keyed by the name of their config section.

    An accessory that brings none, or one that cannot be loaded, gets the default. Raises `NotInstalledError` if none
    is installed.
    """
    found = {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}
    if not found:
        raise NotInstalledError
    return {name: _loaded(found[name]) if name in found else SimulatedAccessory() for name in accessories()}


def _loaded(entry: EntryPoint) -> SimulatedAccessory:
    try:
        accessory = entry.load()
        if not isinstance(accessory, SimulatedAccessory):
            raise TypeError(f"{entry.value} is not an instance of SimulatedAccessory")
    except PLUG_IN_ERRORS as error:
        what = f"the accessory {entry.name} ({entry.value}) cannot be simulated as it asks for"
        log.warning("%s: %s. %s", what, failure(error), PLUG_IN_REMEDY)
        return SimulatedAccessory()
    return accessory


def generic_devices() -> Mapping[str, Sequence[FittedDevice[Any, Any]]]:
    """Return the devices of the generic accessories, keyed by accessory."""
    return {
        name: tuple(accessory.fitted)
        for name, accessory in accessories().items()
        if simulated_accessories()[name].is_generic
    }


@cache
def all_forms() -> Sequence[Form]:
    """Return the forms of the accessories, and those of the device kinds of generic accessories."""
    labels: dict[str, list[str]] = {}
    for devices in generic_devices().values():
        for device in devices:
            labels.setdefault(device.kind.name, []).append(device.label)
    return [
        *(form for accessory in simulated_accessories().values() for form in accessory.forms),
        *(form for kind, of_kind in labels.items() for form in forms_of(kind, *of_kind)),
    ]


def forms_of(kind: str, *labels: str) -> list[Form]:
    """Return the forms of a device kind for the devices with these *labels*."""
    return [replace(form, usage=form.usage.replace("DEVICE", "|".join(labels))) for form in device_module(kind).FORMS]


GENERAL_FAULTS = (
    SimulatedFault("bounce", "Every contact bounces for up to 20 ms.", CONTACTS, "bounce"),
    SimulatedFault("sound", SOUND_CARD_FAULTS["unplugged"], "sound card", "unplugged"),
    *(
        SimulatedFault(f"sound {name}", meaning, "sound card", name)
        for name, meaning in SOUND_CARD_FAULTS.items()
        if name != "unplugged"
    ),
    *(SimulatedFault(f"speech {name}", meaning, "speech", name) for name, meaning in SPEECH_FAULTS.items()),
)


@cache
def faults() -> Mapping[str, SimulatedFault]:
    """Return the faults of all accessories and the general faults, keyed by their names in plays."""
    of_accessories = [
        replace(fault, accessory=name) for name, each in simulated_accessories().items() for fault in each.faults
    ]
    named = {(fault.part, fault.name_there) for fault in of_accessories}
    of_devices = [
        SimulatedFault(f"{fault} {device.label}", meaning, device.label, fault, name)
        for name, accessory in accessories().items()
        for device in accessory.fitted
        for fault, meaning in device_module(device.kind.name).FAULTS.items()
        if (device.label, fault) not in named
    ]
    return {fault.name: fault for fault in (*of_accessories, *of_devices, *GENERAL_FAULTS)}


def fault_named(name: str) -> SimulatedFault:
    """Return the fault with this *name*. ``stuck door`` is one of the device ``door`` of a program.

    Raises ``ValueError`` if there is no such fault.
    """
    if name in faults():
        return faults()[name]
    meanings = {fault: meaning for kind in simulated_kinds() for fault, meaning in device_module(kind).FAULTS.items()}
    fault, _, label = name.rpartition(" ")
    if fault not in meanings:
        known = ", ".join([*(general.name for general in GENERAL_FAULTS), *(f"{each} DEVICE" for each in meanings)])
        raise ValueError(f"there is no fault {name!r}: choose one of {known}")
    return SimulatedFault(name, meanings[fault], label, fault)


def databases(state: Path) -> list[Path]:
    """Return the SQLite files of the accessories in the directory *state*, which need not exist."""
    return [state / each.database for each in simulated_accessories().values() if each.database]


@cache
def things() -> Mapping[str, Callable[[PlayedTable], bool]]:
    """Return a function for each thing that ``expect THING on`` can check, which returns whether the thing is on."""
    return {thing: is_on for each in simulated_accessories().values() for thing, is_on in each.things.items()}
