"""The interface of simulated accessories, the installed ones, and all faults."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from reboard.accessories.accessory import accessories
from reboard.errors import NotInstalledError

if TYPE_CHECKING:
    from reboard_sim.virtual_pi import VirtualPi
    from reboard_sim.virtual_table import VirtualTable

ENTRY_POINTS = "reboard_sim.accessories"
log = logging.getLogger(__name__)


class User(Protocol):
    """A user at a virtual table, for the acts of an accessory."""

    @property
    def pi(self) -> VirtualPi:
        """The Pi of the table, which has the devices by their labels."""

    def hold(self, device: str, *what: str, line: str, release: str) -> None:
        """Press a device or a key of it. In a play, the line *line* does this, and the line *release* ends it."""

    def release(self, device: str, *what: str, line: str) -> None:
        """Release a device or a key that is held."""

    def did(self, line: str) -> None:
        """Record that the effect of the line *line* has happened."""

    async def let_pass(self, seconds: float) -> None:
        """Wait some virtual *seconds* in the middle of an act."""


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of line in a play. In *usage*, capitals are values and brackets mark optional words.

    The form of an accessory has either *do* or *check*. *do* carries out an act with the values of the line. *check*
    returns whether a check holds, and the value that it found.
    """

    name: str
    usage: str
    meaning: str
    do: Callable[..., Coroutine[Any, Any, None]] | None = None
    check: Callable[..., tuple[bool, str]] | None = None

    @property
    def is_check(self) -> bool:
        """Whether the line is a check, not an act."""
        return self.usage.startswith("expect")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that a play can begin and end.

    *part* is the label of a device or a part of the virtual Pi. *name_there* is the part's own name for the fault.
    """

    name: str
    meaning: str
    part: str
    name_there: str
    accessory: str | None = None


@dataclass(frozen=True)
class SimulatedAccessory:
    """An accessory for plays and the bench.

    *things* are the things that ``expect THING on`` can check. *checks_now* returns the lines of checks that hold now.
    *prepare* gets the section of the config and its TOML, and returns the section to use. *hardware* returns more
    fields for the page of the bench. *static* has the files ``panel.html``, ``panel.js`` and style sheets.
    """

    static: Path
    page_order: int = 100
    """The place of the accessory on the page, from the left."""
    forms: Sequence[Form] = ()
    faults: Sequence[Fault] = ()
    things: Mapping[str, Callable[[VirtualTable], bool]] = field(default_factory=dict)
    checks_now: Callable[[VirtualTable], Iterable[str]] = lambda _: ()
    prepare: Callable[[Any, Mapping[str, Any]], Any] = lambda section, _: section
    hardware: Callable[[VirtualTable], Mapping[str, object]] = lambda _: {}


@cache
def simulated_accessories() -> Mapping[str, SimulatedAccessory]:
    """Return the simulated accessories that are installed, by the name of their section.

    Raises `NotInstalledError` if there are none.
    """
    found = {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}
    if not found:
        raise NotInstalledError
    loaded = {name: _loaded(found[name]) for name in accessories() if name in found}
    return {name: accessory for name, accessory in loaded.items() if accessory}


def _loaded(entry: EntryPoint) -> SimulatedAccessory | None:
    try:
        accessory: SimulatedAccessory = entry.load()
    except Exception as error:  # one broken plug-in must not stop the others
        log.warning("%s (%s) cannot be simulated: %s: %s", entry.name, entry.value, type(error).__name__, error)
        return None
    return accessory


def is_running(table: VirtualTable, accessory: str) -> bool:
    """Return whether the *accessory* is ``running`` in the snapshot of the table."""
    state: dict[str, Any] = table.snapshot().get(accessory) or {}
    return bool(state.get("running"))


GENERAL_FAULTS = (
    Fault("bounce", "Every contact bounces for 20 ms instead of 2.", "contacts", "bounce"),
    Fault("sound", "The sound card is unplugged.", "sound card", "unplugged"),
)


@cache
def faults() -> Mapping[str, Fault]:
    """Return every fault by its name in plays."""
    of_accessories = [
        replace(fault, accessory=name) for name, each in simulated_accessories().items() for fault in each.faults
    ]
    return {fault.name: fault for fault in (*of_accessories, *GENERAL_FAULTS)}
