"""The checks of an accessory of a plug-in when it is loaded. Ours are tested, and a table waits for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from typing import Any

from reboard.accessories.accessory import Accessory, absent_of
from reboard.accessories.chart import Chart
from reboard.accessories.entity import entities_of
from reboard.accessories.game_accessory import GameAccessory
from reboard.accessories.table_vocabulary import NAME, NAMES_OF_TABLES, OTHER_SECTIONS
from reboard.languages import ENGLISH
from reboard.strict_json import plain
from reboard.vocabulary.checks import LONGEST_SHOWN, arguments_of
from reboard.vocabulary.hints import check_limits, fields_of
from reboard.vocabulary.vocabulary import Vocabulary


def check_accessory(accessory: Accessory[Any], others: Mapping[str, Accessory[Any]]) -> None:
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
            device.check_config(device.usual, f"usual of {device.label}")
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


TYPES: Mapping[str, tuple[type, str]] = {
    "name": (str, 'a text: write `name = "…"`'),
    "title": (str, 'a text: write `title = "…"`'),
    "fitted": (Sequence, "a tuple, with a comma after each device: `fitted = (FittedDevice(…),)`"),
    "order": (int, "a whole number"),
    "vocabulary": (Vocabulary, "a Vocabulary: write `vocabulary = Vocabulary(__name__)`"),
}
"""The type that each attribute must have, and what to write."""


def _check_types(accessory: Accessory[Any]) -> None:
    for attribute, (kind, words) in TYPES.items():
        if not isinstance(getattr(accessory, attribute, None), kind):
            raise TypeError(f"{attribute} must be {words}")
    section = getattr(accessory, "section", None)
    if isinstance(section, type) or not callable(section):
        name = section.__name__ if isinstance(section, type) else "the class of its settings"
        raise TypeError(f"section must be a reader: write `section = Section({name})`")
    if strange := [key for key, value in accessory.charts.items() if not isinstance(value, Chart)]:
        raise TypeError(f"{strange[0]!r} in charts must be a Chart")
    plain(dict(absent_of(accessory)), "ABSENT")
    requests = accessory.vocabulary.requests
    if requests and getattr(type(accessory), "answer", None) is GameAccessory.answer:
        raise TypeError(f"the request {min(requests)!r} needs a method: write `async def answer(self, game, request)`")
    for text in _texts(accessory):
        if not isinstance(text, str) or not text.isprintable() or len(text) > LONGEST_SHOWN:
            raise ValueError(f"{text!r:.200} must be a text of at most {LONGEST_SHOWN} printable characters")


def _texts(accessory: Accessory[Any]) -> Iterator[object]:
    """Yield the texts of *accessory* that the page or the bench shows. Raises ``TypeError`` for a wrong annotation."""
    events, requests = accessory.vocabulary.events, accessory.vocabulary.requests
    yield from (accessory.title, *requests, *events, *accessory.charts)
    yield from (outcome.label for outcome in accessory.vocabulary.outcomes)
    for declared in (*events.values(), *requests.values()):
        for each in fields_of(declared):
            check_limits(each.hint, f"the field {each.name!r} of {declared.__name__}")
            yield each.name
    for request in requests.values():
        yield from (argument.words for argument in arguments_of(request))
    for device in accessory.fitted:
        yield from (device.label, device.title, device.question, device.gesture)
