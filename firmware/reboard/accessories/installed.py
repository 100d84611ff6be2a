"""The installed accessories: ours, and those of plug-ins.

A plug-in adds an accessory with an entry point in the group ``reboard.accessories``.
"""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence, Set
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from reboard.accessories import table_vocabulary
from reboard.accessories.accessory import Accessory, RunningAccessory, TableContext, absent_of, folder_of
from reboard.accessories.chart import Chart
from reboard.accessories.entity import entities_of
from reboard.config.kinds import NO_PULL, PULL, Choice
from reboard.config.reading import KeyPath, Reading
from reboard.devices.device import CheckContext, FittedDevice
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
from reboard.languages import ENGLISH, add_folder
from reboard.sounds import SoundSet
from reboard.strict_json import plain
from reboard.version import __version__
from reboard.vocabulary.checks import BY, LONGEST_SHOWN, arguments_of, problem_with
from reboard.vocabulary.declared import Event, Request
from reboard.vocabulary.hints import fields_of
from reboard.vocabulary.vocabulary import Vocabulary

ENTRY_POINTS = "reboard.accessories"

NAME = re.compile("[a-z][a-z0-9_]*")
"""The pattern of an accessory's name."""

OTHER_SECTIONS = ("edition", "speaker", "page", "mqtt", "wiring", "state")
"""The keys of ``table.toml`` that are not the name of an accessory."""

TABLE_KEYS = ("language", "lang", *inspect.get_annotations(table_vocabulary.Table))
"""The keys of a snapshot, and of what leaves the table, that belong to the table."""

NAMES_OF_TABLES: Mapping[str, Collection[str]] = {
    "request": table_vocabulary.REQUESTS,
    "event": table_vocabulary.EVENTS,
    "key of the snapshot": TABLE_KEYS,
}
"""The names that no accessory can take, keyed by what they name."""

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
    return keys | dict.fromkeys(TABLE_KEYS, "the table")


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

    ``outcomes`` has the names of the outcomes of all accessories, and ``parts`` those of their devices.
    """
    parts = {device.title: device.title for each in accessories().values() for device in each.fitted}
    outcomes = {str(kind): kind.label for each in accessories().values() for kind in each.vocabulary.outcomes}
    return {"outcomes": outcomes, "parts": parts} | {
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
            _try(accessory, others)
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


def _try(accessory: Accessory[Any], others: Mapping[str, Accessory[Any]]) -> None:
    """Check the attributes and methods of *accessory* that every table uses. Raises an exception if one is broken."""
    _check_types(accessory)
    if not NAME.fullmatch(accessory.name) or accessory.name in OTHER_SECTIONS:
        taken = f"{', '.join(OTHER_SECTIONS[:-1])} and {OTHER_SECTIONS[-1]} are taken"
        raise ValueError(f"{accessory.name!r} is not a valid name: use a-z, 0-9 and _; {taken}")
    for what, names in _names(accessory).items():
        owners = dict.fromkeys(NAMES_OF_TABLES.get(what, ()), "every table")
        for other in others.values():
            owners |= dict.fromkeys(_names(other)[what], f"the accessory {other.name} ({type(other).__module__})")
        if twice := names & owners.keys():
            raise ValueError(f"{owners[min(twice)]} already has the {what} {min(twice)!r}")
    for device in accessory.fitted:
        section, _, key = device.label.rpartition(".")
        if section != accessory.name or key not in getattr(accessory.section, "keys", {key}):
            keys = ", ".join(getattr(accessory.section, "keys", ())) or "none"
            needed = f"must be {accessory.name}.KEY, with a key of the section {accessory.name}: {keys}"
            raise ValueError(f"the label {device.label!r} of a device {needed}")
    for device in accessory.fitted:
        device.drawn_wiring()
        if device.usual is not None:
            check_config(device, device.usual, f"usual of {device.label}")
    tuple(accessory.setup_steps())
    with suppress(NameError):  # of a type in the snapshot: descriptions leave the snapshot out
        tuple(entities_of(accessory.vocabulary, ENGLISH))


def _names(accessory: Accessory[Any]) -> Mapping[str, Set[str]]:
    """Return the names that *accessory* shares with no other one, keyed by what they name."""
    return {
        "name": {accessory.name},
        "request": accessory.vocabulary.requests.keys(),
        "event": accessory.vocabulary.events.keys(),
        "key of the snapshot": absent_of(accessory).keys(),
    }


def _check_types(accessory: Accessory[Any]) -> None:
    for attribute in ("name", "title"):
        if not isinstance(getattr(accessory, attribute, None), str):
            raise TypeError(f'{attribute} must be a text: write `{attribute} = "…"`')
    section = getattr(accessory, "section", None)
    if isinstance(section, type) or not callable(section):
        name = section.__name__ if isinstance(section, type) else "the class of its settings"
        raise TypeError(f"section must be a reader: write `section = Section({name})`")
    if not isinstance(accessory.fitted, Sequence):
        raise TypeError("fitted must be a tuple, with a comma after each device: `fitted = (FittedDevice(…),)`")
    if not isinstance(accessory.order, int):
        raise TypeError("order must be a whole number")
    if not isinstance(accessory.vocabulary, Vocabulary):
        raise TypeError("vocabulary must be a Vocabulary: write `vocabulary = Vocabulary(__name__)`")
    if strange := [key for key, value in accessory.charts.items() if not isinstance(value, Chart)]:
        raise TypeError(f"{strange[0]!r} in charts must be a Chart")
    plain(dict(absent_of(accessory)), "ABSENT")
    for text in _texts(accessory):
        if not isinstance(text, str) or not text.isprintable() or len(text) > LONGEST_SHOWN:
            raise ValueError(f"{text!r:.200} must be a text of at most {LONGEST_SHOWN} printable characters")


def _texts(accessory: Accessory[Any]) -> Iterator[object]:
    """Yield the texts of *accessory* that the page or the bench shows."""
    vocabulary = accessory.vocabulary
    yield from (
        accessory.title,
        *vocabulary.requests,
        *vocabulary.events,
        *(outcome.label for outcome in vocabulary.outcomes),
        *accessory.charts,
    )
    for event in vocabulary.events.values():
        yield from (field.name for field in fields_of(event))
    for request in vocabulary.requests.values():
        for argument in arguments_of(request):
            yield from (argument.name, argument.words)
    for device in accessory.fitted:
        yield from (device.label, device.title, device.question, device.gesture)


def check_config(device: FittedDevice[Any, Any], config: object, what: str) -> None:
    """Raise ``TypeError`` if *config*, the value of *what*, is not a config for the kind of *device*."""
    problem = ""
    try:
        pins: list[object] = [*device.kind.pins(config).values()]
        device.kind.files(config)
    except PLUG_IN_ERRORS as error:
        problem, pins = f": {failure(error)}", [None]
    if not all(isinstance(pin, int) for pin in pins):
        kind = f"the device kind {device.kind.name}"
        raise TypeError(f"{what} is {config!r}, which is not what the reader of {kind} returns{problem}")
