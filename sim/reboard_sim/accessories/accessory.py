"""The interface of simulated accessories, the function that loads them, and the faults in plays."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from reboard.accessories.installed import accessories
from reboard.devices.device import FittedDevice
from reboard.errors import PLUG_IN_ERRORS, PLUG_IN_REMEDY, NotInstalledError, failure
from reboard_sim.board.sound_card import FAULTS as SOUND_CARD_FAULTS
from reboard_sim.devices.device import device_module

if TYPE_CHECKING:
    from reboard_sim.seen_table import SeenTable
    from reboard_sim.virtual_pi import VirtualPi
    from reboard_sim.virtual_table import VirtualTable

ENTRY_POINTS = "reboard_sim.accessories"
log = logging.getLogger(__name__)


class User(Protocol):
    """A user at a virtual table, who carries out the acts of an accessory."""

    @property
    def pi(self) -> VirtualPi:
        """The virtual Pi of the table. Its items are the virtual devices, keyed by label."""

    @property
    def has_copies(self) -> bool:
        """Whether two slots can have copies of the same card."""

    def hold(self, device: str, *what: str, line: str, release: str) -> None:
        """Press *device*, or its key *what*, and hold it.

        *line* is the line of a play for this act. *release* is the line that releases the device.
        """

    def release(self, device: str, *what: str, line: str) -> None:
        """Release *device*, or its key *what*. *line* is the line of a play for this act."""

    def did(self, line: str) -> None:
        """Record that the play line *line* has had its effect."""

    async def let_pass(self, seconds: float) -> None:
        """Wait *seconds* of virtual time during an act."""

    def snapshot(self) -> dict[str, Any]:
        """Return the snapshot of the table."""

    async def request(self, do: str, **args: object) -> object:
        """Send a request to the table, as the table page does, and return the answer.

        Raises `Rejection` if the rules forbid the request, and `RequestError` if the table cannot carry it out.
        """


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of line in a play. In *usage*, capitals stand for values and brackets mark optional words.

    The form of an accessory or a device kind has either *do* or *check*. *do* carries out an act with the values of
    the line. *check* returns whether a check holds, and the value that it found. In the form of a device kind,
    ``DEVICE`` stands for the label of a device of this kind, the argument ``device``.
    """

    name: str
    usage: str
    meaning: str
    do: Callable[..., Coroutine[Any, Any, None]] | None = None
    check: Callable[..., tuple[bool, str]] | None = None

    @property
    def is_check(self) -> bool:
        """Whether the line is a check instead of an act."""
        return self.usage.startswith("expect")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that a play can begin and end.

    *part* is the label of a device, or a part of the virtual Pi such as ``disk``. *name_there* is the name of the fault
    in that part. *accessory* is the section of the accessory that has the fault, or ``None`` for a general fault.
    """

    name: str
    meaning: str
    part: str
    name_there: str
    accessory: str | None = None


@dataclass(frozen=True)
class SimulatedAccessory:
    """An accessory for plays and the bench. The default is for an accessory that has only devices of common kinds.

    Without ``panel.html``, the accessory is generic: the bench shows its picture (``panel/picture.svg``, see
    `Accessory.panel`), and a control for each device that the picture does not have. Plays have the forms and faults
    of its device kinds, such as ``press buzzer.left``.

    *static* is the folder with ``panel.html``, ``panel.js``, style sheets, ``help.html`` (its part of the bench's help)
    and ``demo.play`` (a short play without permanent effects). *things* maps each thing that ``expect THING on``
    can check to a function that returns whether it is on. *values* has the function that reads each word in capitals
    in the *forms*, besides the general ones, and *choices* the argument for each choice such as ``left|right``.
    *checks_now* returns the ``expect`` lines that currently hold. *prepare* gets the section of the config and its
    TOML table, and returns the section to use. *hardware* returns additional fields for the bench. *copied* replaces
    some of them for a real table, from its snapshot.
    """

    static: Path | None = None
    page_order: int = 100
    """The sort key of the accessory on the page. The lowest key is at the left."""
    forms: Sequence[Form] = ()
    faults: Sequence[Fault] = ()
    things: Mapping[str, Callable[[VirtualTable], bool]] = field(default_factory=dict)
    values: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    checks_now: Callable[[VirtualTable], Iterable[str]] = lambda _: ()
    prepare: Callable[[Any, Mapping[str, Any]], Any] = lambda section, _: section
    hardware: Callable[[SeenTable], Mapping[str, object]] = lambda _: {}
    copied: Callable[[Mapping[str, Any]], Mapping[str, object]] = lambda _: {}

    def files(self, pattern: str) -> list[Path]:
        """Return the files of `static` that match *pattern*, in alphabetical order."""
        return sorted(self.static.glob(pattern)) if self.static else []

    @property
    def is_generic(self) -> bool:
        """Whether the bench and plays use the controls, forms and faults of the device kinds."""
        return not self.files("panel.html")


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


def is_running(table: VirtualTable, accessory: str) -> bool:
    """Return whether *accessory*, a key of the snapshot such as ``apple`` or ``deal``, is ``running``."""
    state: dict[str, Any] = table.snapshot().get(accessory) or {}
    return bool(state.get("running"))


GENERAL_FAULTS = (
    Fault("bounce", "Every contact bounces for up to 20 ms instead of 2 ms.", "contacts", "bounce"),
    Fault("sound", SOUND_CARD_FAULTS["unplugged"], "sound card", "unplugged"),
    *(
        Fault(f"sound {name}", meaning, "sound card", name)
        for name, meaning in SOUND_CARD_FAULTS.items()
        if name != "unplugged"
    ),
)


@cache
def faults() -> Mapping[str, Fault]:
    """Return the faults of all accessories and the general faults, keyed by their names in plays."""
    of_accessories = [
        replace(fault, accessory=name) for name, each in simulated_accessories().items() for fault in each.faults
    ]
    named = {(fault.part, fault.name_there) for fault in of_accessories}
    of_devices = [
        Fault(f"{fault} {device.label}", meaning, device.label, fault, name)
        for name, accessory in accessories().items()
        for device in accessory.fitted
        for fault, meaning in device_module(device.kind.name).FAULTS.items()
        if (device.label, fault) not in named
    ]
    return {fault.name: fault for fault in (*of_accessories, *of_devices, *GENERAL_FAULTS)}


@cache
def things() -> Mapping[str, Callable[[VirtualTable], bool]]:
    """Return a function for each thing that ``expect THING on`` can check, which returns whether the thing is on."""
    return {thing: is_on for each in simulated_accessories().values() for thing, is_on in each.things.items()}
