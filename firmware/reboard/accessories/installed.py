"""The installed accessories: ours, and those of plug-ins.

A plug-in adds an accessory with an entry point in the group ``reboard.accessories``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from reboard.accessories import table_vocabulary
from reboard.accessories.accessory import Accessory, Devices, RunningAccessory, TableContext, absent_of, folder_of
from reboard.config.kinds import NO_PULL, PULL, Choice
from reboard.config.reading import KeyPath, Reading
from reboard.devices.examination import CheckContext
from reboard.errors import (
    NOT_PLUG_INS,
    PLUG_IN_ERRORS,
    PLUG_IN_REMEDY,
    ControlSocketError,
    NotInstalledError,
    Place,
    ReboardError,
    Why,
    failure,
)
from reboard.finding import Finding, sentence, wrong
from reboard.languages import add_folder
from reboard.sounds import SoundSet
from reboard.version import __version__
from reboard.vocabulary.checks import BY, problem_with
from reboard.vocabulary.declared import Event, Request

ENTRY_POINTS = "reboard.accessories"

PROTOCOL_KEYS = ("id", "do")
"""The keys of a request that are not its arguments."""

log = logging.getLogger(__name__)


class BrokenAccessory(Accessory[object]):
    """A stand-in for a plug-in that fails or is not installed. A table whose config has its section reports a fault.

    It also replaces the config of that section, see `reboard.table_config.TableConfig.accessory`.
    """

    def __init__(self, name: str, cause: str, remedy: str = PLUG_IN_REMEDY) -> None:
        self.name = name
        self.title = name
        self.section = self._broken
        self.cause = cause
        self.remedy = remedy
        self.wanted = name
        """The name of the section that the plug-in has, which another one may have, too."""

    def describe(self, config: object) -> Iterator[tuple[str, str]]:
        yield self.name, "cannot be used"

    def findings(self, config: object, context: CheckContext | None) -> Iterator[Finding]:
        yield wrong(f"{self.name}.plug-in", sentence(self.cause), f"{self.remedy}.")

    def running(self, config: object, devices: Devices, context: TableContext) -> RunningAccessory:
        """Raise `ReboardError` with the cause."""
        raise ReboardError(f"{self.cause}. {self.remedy}")

    def _broken(self, reading: Reading, path: KeyPath, value: object, /) -> object:
        return self


@cache
def accessories() -> Mapping[str, Accessory[Any]]:
    """Return all installed accessories, keyed by section name. Raises `NotInstalledError` if there are none."""
    found = _found()[0]
    return {each.name: each for each in sorted(found.values(), key=lambda each: (each.order, each.name))}


@cache
def _found() -> tuple[Mapping[str, Accessory[Any]], Mapping[str, Sequence[Finding]]]:
    """Return the accessories, and the findings on their packages, both keyed by section name."""
    entries = list(entry_points(group=ENTRY_POINTS))
    if not entries:
        raise NotInstalledError
    found: dict[str, Accessory[Any]] = {}
    owners: dict[str, Any] = {}
    findings: dict[str, list[Finding]] = {}
    plug_ins = [entry for entry in entries if not _is_ours(entry)]
    # ours first, so that a plug-in cannot replace one of them
    for entry in [*filter(_is_ours, entries), *sorted(plug_ins, key=lambda each: (each.name, _package(each)))]:
        accessory = _loaded(entry, found)
        name = accessory.name
        wanted = accessory.wanted if isinstance(accessory, BrokenAccessory) else name
        if first := owners.get(wanted):
            packages = f"{_package(first)}, which is used, and {_package(entry)}, which is not"
            what = f"Two packages have an accessory {wanted}: {packages}."
            remedy = "Uninstall one of them with `pip uninstall`."
            log.warning("%s %s", what, remedy)
            findings.setdefault(wanted, []).append(wrong(f"{wanted}.package", what, remedy))
        if name in found:
            continue
        found[name], owners[name] = accessory, entry
        if folder := folder_of(accessory, "languages"):
            add_folder(folder)
        if needed := _needs_newer(entry):
            what = f"{_package(entry)} needs {needed}, but this is reboard {__version__}."
            log.warning("%s %s", what, UPDATE)
            findings.setdefault(name, []).append(wrong(f"{name}.package", what, UPDATE))
    return found, findings


UPDATE = "Update reboard, or install an older version of the package."


def _is_ours(entry: Any) -> bool:
    return bool(entry.value.startswith("reboard."))


def _package(entry: Any) -> str:
    """Return the name and version of the package that has *entry*, or its module if there is no package."""
    package = getattr(entry, "dist", None)
    return f"{package.name} {package.version}" if package else entry.value.partition(":")[0]


def _needs_newer(entry: Any) -> str:
    """Return the requirement of the package of *entry* for a newer reboard, such as ``reboard>=1.0``, or ``""``.

    pip checks this, but not with ``--no-deps``.
    """
    # the metadata of a package take a millisecond each time that they are read
    package = None if _is_ours(entry) else getattr(entry, "dist", None)
    for requirement in (package and package.requires) or ():
        match = REQUIREMENT.match(requirement)
        if match and "extra" not in requirement.partition(";")[2]:
            least = [_release(version) for operator, version in BOUND.findall(match[1]) if not operator.startswith("<")]
            if least and max(least) > _release(__version__):
                return str(requirement).partition(";")[0].strip()
    return ""


REQUIREMENT = re.compile(r"reboard(?![\w.-])\s*(?:\[[^]]*\])?\s*\(?([^;)]*)", re.IGNORECASE)
BOUND = re.compile(r"(<=?|>=?|==|~=)\s*([0-9.]+)")


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def findings_on(
    name: str, accessory: Accessory[Any], section: object, context: CheckContext | None = None
) -> Iterator[Finding]:
    """Yield the findings on the package of the accessory *name*, and then those of *accessory*: see its `findings`."""
    yield from _found()[1].get(name, ())
    try:
        findings = [*accessory.findings(section, context)]
        if strange := [each for each in findings if not isinstance(each, Finding)]:
            raise TypeError(f"findings() must yield findings such as note(…), not {strange[0]!r:.100}")
    except PLUG_IN_ERRORS as error:
        findings = [wrong(f"{name}.plug-in", f"The findings of {name} failed: {failure(error)}.", f"{PLUG_IN_REMEDY}.")]
    yield from findings


@cache
def all_events() -> Mapping[str, type[Event]]:
    """Return the events of tables, devices and installed accessories, keyed by name."""
    events = dict(table_vocabulary.EVENTS)
    for accessory in accessories().values():
        events |= events_of(accessory)
    return events


def events_of(accessory: Accessory[Any]) -> Mapping[str, type[Event]]:
    """Return the events of *accessory* and its devices, keyed by name."""
    of_devices = (device.kind.event for device in accessory.fitted if device.kind.event)
    return {**{event.event: event for event in of_devices}, **accessory.vocabulary.events}


def accessories_in(place: Place) -> list[str]:
    """Return the names of the accessories whose package has *place*."""
    return [name for name, each in accessories().items() if _code_of(each) == place.package]


def is_plug_in(accessory: Accessory[Any]) -> bool:
    """Return whether the code of *accessory* is in a package of its own."""
    return _code_of(accessory) not in NOT_PLUG_INS


def _code_of(accessory: Accessory[Any]) -> str:
    return type(accessory).__module__.partition(".")[0]


def named(place: Place) -> str:
    """Return *place* with the names of its accessories, such as ``buzzer (accessory.py, line 33)``."""
    return f"{', '.join(accessories_in(place)) or place.package} ({place})"


@cache
def snapshot_keys() -> Mapping[str, str]:
    """Return the keys in the snapshot of a table, each with the name of its accessory, or ``the table``."""
    keys = {key: name for name, accessory in accessories().items() for key in absent_of(accessory)}
    return keys | dict.fromkeys(table_vocabulary.TABLE_KEYS, "the table")


def sound_name(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read the name of a sound: a built-in one, or one that an accessory brings."""
    return Choice(*SoundSet.built_in(sound_folders()).names)(reading, path, value)


def sound_folders() -> Sequence[Path]:
    """Return the folders with the sounds of the installed accessories."""
    return [folder for accessory in accessories().values() if (folder := folder_of(accessory, "sounds"))]


@cache
def all_requests() -> Mapping[str, type[Request]]:
    """Return all requests on the control socket, of tables and installed accessories, keyed by name."""
    of_accessories = (each for accessory in accessories().values() for each in accessory.vocabulary.requests.values())
    return {**table_vocabulary.REQUESTS, **{each.do: each for each in of_accessories if not each.is_internal}}


def all_rejections() -> Sequence[Why]:
    """Return the reasons to reject a request or an input, of tables and installed accessories."""
    of_accessories = (why for accessory in accessories().values() for why in accessory.vocabulary.rejections)
    return [*table_vocabulary.TableWhy.members, *of_accessories]


def all_labels() -> Mapping[str, Mapping[str, str]]:
    """Return the English words for pages of the installed accessories, keyed by ``<accessory>.<class>``.

    ``outcomes`` has the names of the outcomes of all accessories, ``parts`` those of their devices, and ``requests``
    those of the requests that change a table.
    """
    parts = {device.title: device.title for each in accessories().values() for device in each.fitted}
    outcomes = {str(kind): kind.label for each in accessories().values() for kind in each.vocabulary.outcomes}
    requests = {do: request.label for do, request in all_requests().items() if request.changes}
    return {"outcomes": outcomes, "parts": parts, "requests": requests} | {
        f"{name}.{declared}": labels
        for name, accessory in accessories().items()
        for declared, labels in accessory.vocabulary.labels.items()
    }


def check_request(request: Mapping[str, Any]) -> None:
    """Check a request from the control socket. Raises `ControlSocketError` for an unknown request or argument."""
    do = request.get("do")
    if not isinstance(do, str) or do not in all_requests():
        raise ControlSocketError(f'"do" must be one of {", ".join(all_requests())}')
    declared = all_requests()[do]
    args = {name: value for name, value in request.items() if name not in PROTOCOL_KEYS}
    if problem := problem_with(declared, args, *([BY] if declared.changes else [])):
        raise ControlSocketError(problem)


def _loaded(entry: Any, others: Mapping[str, Accessory[Any]]) -> Accessory[Any]:
    accessory: object = None
    try:
        accessory = entry.load()
        if not isinstance(accessory, Accessory):
            raise TypeError(f"{entry.value} is not an instance of Accessory")
        if is_plug_in(accessory):  # ours are tested, and a table waits for them
            from reboard.accessories.plug_in_checks import check_accessory

            check_accessory(accessory, others)
    except PLUG_IN_ERRORS as error:
        cause = f"the accessory {entry.name} ({entry.value}) cannot be loaded: {failure(error)}"
        argument = re.search(r"argument '(\w+)'", cause)
        remedy = f"About {argument[1]}: {NO_PULL}" if argument and PULL.search(argument[1]) else PLUG_IN_REMEDY
        if needed := _needs_newer(entry):
            cause += f". {_package(entry)} needs {needed}, but this is reboard {__version__}"
        elif isinstance(error, ImportError) and str(error.name).partition(".")[0] == "reboard":
            cause += f". {_package(entry)} may be made for another version than this reboard, {__version__}"
        broken = BrokenAccessory(entry.name, cause, remedy)
        broken.wanted = str(getattr(accessory, "name", entry.name))
        if broken.wanted not in others:
            log.warning("%s. %s", cause, remedy)
        return broken
    return accessory
