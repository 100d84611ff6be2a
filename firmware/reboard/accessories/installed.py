"""The installed accessories: ours, and those of plug-ins.

A plug-in adds an accessory with an entry point in the group ``reboard.accessories``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from reboard.accessories.accessory import Accessory, RunningAccessory, TableContext
from reboard.accessories.chart import Chart
from reboard.accessories.request import BY, COMMON_REQUESTS, Request
from reboard.config.reading import KeyPath, Reading
from reboard.errors import (
    PLUG_IN_ERRORS,
    PLUG_IN_REMEDY,
    ControlSocketError,
    NotInstalledError,
    ReboardError,
    failure,
)
from reboard.events import COMMON_EVENTS, EventKind
from reboard.finding import Finding, sentence, wrong

ENTRY_POINTS = "reboard.accessories"
LONGEST_SHOWN = 200

NAME = re.compile("[a-z][a-z0-9_]*")
"""The pattern of an accessory's name."""

OTHER_SECTIONS = ("edition", "speaker", "page", "mqtt", "wiring", "state")
"""The keys of ``table.toml`` that are not the name of an accessory."""

TABLE_KEYS = ("t", "title", "titles", "language", "edition", "units", "rules", "volume", "faults", "counts_from")
"""The keys of a snapshot that belong to the table."""

log = logging.getLogger(__name__)


class BrokenAccessory(Accessory[object]):
    """A stand-in for a plug-in that fails or is not installed. A table whose config has its section reports a fault.

    It also replaces the config of that section, see `reboard.table_config.TableConfig.accessory`.
    """

    can_be_set_up = False

    def __init__(self, name: str, cause: str, remedy: str = PLUG_IN_REMEDY) -> None:
        self.name = name
        self.title = name
        self.section = self._broken
        self.cause = cause
        self.remedy = remedy

    def describe(self, config: object) -> Iterator[tuple[str, str]]:
        yield self.name, "cannot be used"

    def findings(self, config: object) -> Iterator[Finding]:
        yield wrong(f"{self.name}.plug-in", sentence(self.cause), f"{self.remedy}.")

    @asynccontextmanager
    async def open(self, config: object, context: TableContext) -> AsyncIterator[RunningAccessory]:
        """Raise `ReboardError` with the cause."""
        raise ReboardError(f"{self.cause}. {self.remedy}")
        yield

    def _broken(self, reading: Reading, path: KeyPath, value: object, /) -> object:
        return self


@cache
def accessories() -> Mapping[str, Accessory[Any]]:
    """Return all installed accessories, keyed by section name. Raises `NotInstalledError` if there are none."""
    entries = list(entry_points(group=ENTRY_POINTS))
    if not entries:
        raise NotInstalledError
    found: dict[str, Accessory[Any]] = {}
    # ours first, so that a plug-in cannot replace one of them
    for entry in sorted(entries, key=lambda each: (not each.value.startswith("reboard."), each.name)):
        accessory = _loaded(entry, found)
        found.setdefault(accessory.name, accessory)
    return {each.name: each for each in sorted(found.values(), key=lambda each: (each.order, each.name))}


@cache
def event_kinds() -> Mapping[str, EventKind]:
    """Return the kinds of events of tables, devices and installed accessories, keyed by name."""
    kinds = dict(COMMON_EVENTS)
    for accessory in accessories().values():
        kinds |= accessory.events
    return kinds


def sound_folders() -> Sequence[Path]:
    """Return the folders with the sounds of the installed accessories."""
    return [folder for accessory in accessories().values() if (folder := accessory.sounds())]


@cache
def all_requests() -> Mapping[str, Request]:
    """Return all requests on the control socket, of tables and installed accessories, keyed by name."""
    return {
        **COMMON_REQUESTS,
        **{do: each for accessory in accessories().values() for do, each in accessory.requests.items()},
    }


def check_request(request: Mapping[str, Any]) -> None:
    """Check a request from the control socket. Raises `ControlSocketError` for an unknown request or argument."""
    do = request.get("do")
    if not isinstance(do, str) or do not in all_requests():
        raise ControlSocketError(f'"do" must be one of {", ".join(all_requests())}')
    kind = all_requests()[do]
    arguments = {**kind.arguments, **({"by": BY} if kind.changes else {})}
    for name, argument in arguments.items():
        left_out = argument.may_be_left_out and name not in request
        if not left_out and not argument.allows(request.get(name)):
            raise ControlSocketError(f'{do}: "{name}" must be {argument.words}')
    if strange := request.keys() - arguments.keys() - {"id", "do"}:
        raise ControlSocketError(f"{do} takes no argument {min(strange)[:LONGEST_SHOWN]!r}")


def _loaded(entry: Any, others: Mapping[str, Accessory[Any]]) -> Accessory[Any]:
    try:
        accessory = entry.load()
        if not isinstance(accessory, Accessory):
            raise TypeError(f"{entry.value} is not an instance of Accessory")
        _try(accessory, others)
    except PLUG_IN_ERRORS as error:
        cause = f"the accessory {entry.name} ({entry.value}) cannot be loaded: {failure(error)}"
        log.warning("%s. %s", cause, PLUG_IN_REMEDY)
        return BrokenAccessory(entry.name, cause)
    return accessory


def _try(accessory: Accessory[Any], others: Mapping[str, Accessory[Any]]) -> None:
    """Check the attributes and methods of *accessory* that every table uses. Raises an exception if one is broken."""
    if not (isinstance(accessory.name, str) and isinstance(accessory.title, str) and callable(accessory.section)):
        raise TypeError("name and title must be strings, and section must be a reader")
    if not NAME.fullmatch(accessory.name) or accessory.name in OTHER_SECTIONS:
        taken = f"{', '.join(OTHER_SECTIONS[:-1])} and {OTHER_SECTIONS[-1]} are taken"
        raise ValueError(f"{accessory.name!r} is not a valid name: use a-z, 0-9 and _; {taken}")
    for names, taken_names in (
        ({accessory.name}, others.keys()),
        (accessory.requests, {*COMMON_REQUESTS}.union(*(other.requests for other in others.values()))),
        (accessory.events, {*COMMON_EVENTS}.union(*(other.events for other in others.values()))),
        (accessory.absent_snapshot, {*TABLE_KEYS}.union(*(other.absent_snapshot for other in others.values()))),
    ):
        if twice := set(names) & set(taken_names):
            raise ValueError(f"another accessory uses the name {min(twice)!r}, too")
    if not isinstance(accessory.order, int):
        raise TypeError("order must be a whole number")
    dict(accessory.absent_snapshot)
    for mapping, kind in ((accessory.requests, Request), (accessory.events, EventKind), (accessory.charts, Chart)):
        if strange := [key for key, value in dict(mapping).items() if not isinstance(value, kind)]:
            raise TypeError(f"{strange[0]!r} must be a {kind.__name__}")
    for device in accessory.fitted:
        section, _, key = device.label.rpartition(".")
        if section != accessory.name or key not in getattr(accessory.section, "keys", {key}):
            keys = ", ".join(getattr(accessory.section, "keys", ())) or "none"
            needed = f"must be {accessory.name}.KEY, with a key of the section {accessory.name}: {keys}"
            raise ValueError(f"the label {device.label!r} in fitted {needed}")
    tuple(accessory.internal_requests)
    tuple(accessory.setup_steps())
    accessory.panel()
    accessory.sounds()
    for device in accessory.devices(None):
        device.drawn_wiring()
