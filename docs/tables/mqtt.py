"""The tables of the broker's topics, and of the entities of Home Assistant."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from docs.tables.docstrings import constants, listed
from docs.tables.markdown import code, lines, table
from docs.tables.vocabulary import events
from reboard.accessories.entity import Entity, entities_of_state
from reboard.accessories.installed import accessories, is_plug_in
from reboard.accessories.table_vocabulary import Table
from reboard.editions.edition import MOST_PLAYERS
from reboard.mqtt import topics as topics_module
from reboard.mqtt.discovery import discovery_topic
from reboard.mqtt.topics import ROOT
from reboard.vocabulary.hints import fields_of, has_fields
from reboard.vocabulary.limits import Sensor

WITH_A_USER = ("REQUEST", "RESPONSE")
"""The levels with one more level below them."""

STATE = {"cards": [{"number": number, "retired": False, "left": False} for number in range(1, MOST_PLAYERS + 1)]}
"""A state in which every card is in the game."""

ALIKE = [f"card_{number}" for number in range(2, MOST_PLAYERS + 1)]
"""The entities that have no row, because they are like that of card 1."""


def topics() -> str:
    """Return the table of a table's topics."""
    return table("topic | how | message", _topics())


def _topics() -> Iterator[Sequence[str]]:
    for name, level, meaning in constants(Path(topics_module.__file__), "TopicLevel"):
        how, _, message = meaning.partition(": ")
        yield f"`{ROOT}/<table>/{level}{'/<user>' if name in WITH_A_USER else ''}`", how, message
    yield f"`{discovery_topic('<table>')}`", "QoS 1, retained", "the entities for Home Assistant"


def shared_events() -> str:
    """Return the names of the events that leave the table."""
    return lines(code(name for name, event in events().items() if event.is_shared))


def entities() -> str:
    """Return the table of the entities of a table in Home Assistant. Raises ``KeyError`` for one without a meaning."""
    return table("entity | shows | attributes", _entities())


def _entities() -> Iterator[Sequence[str]]:
    for accessory in accessories().values():
        if not is_plug_in(accessory):
            vocabulary = accessory.vocabulary
            meanings = _meanings(*filter(None, [vocabulary.snapshot, *vocabulary.events.values()]))
            module = Path(inspect.getfile(type(accessory))).with_name("entities.py")
            meanings |= dict(listed(module)) if module.exists() else {}
            entities = (each for each in accessory.entities(STATE, "en") if each.key not in ALIKE)
            yield from (_row(accessory.name, entity, meanings[entity.key]) for entity in entities)
    meanings = _meanings(Table)
    yield from (_row("table", entity, meanings[entity.key]) for entity in entities_of_state(Table, "en"))


def _row(accessory: str, entity: Entity, meaning: str) -> Sequence[str]:
    attributes = re.findall(r'"(\w+)":', entity.attributes or (entity.value if entity.platform == "event" else ""))
    return f"`{entity.platform}.reboard_<table>_{accessory}_{entity.key}`", meaning, code(attributes)


def _meanings(*parts: type) -> dict[str, str]:
    """Return the meanings of the sensors in parts of the state and in events."""
    found: dict[str, str] = {}
    for field in (field for part in parts for field in fields_of(part)):
        if sensor := field.hint.limit(Sensor):
            found[sensor.key] = field.hint.meaning
        elif has_fields(field.hint.type):
            found |= _meanings(field.hint.type)
    return found


TABLES: Mapping[str, Callable[..., str]] = {
    "mqtt topics": topics,
    "shared events": shared_events,
    "entities": entities,
}
