"""Entities: the values of an accessory that a smart home shows, such as Home Assistant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Literal

from reboard.languages import Texts
from reboard.record import Record
from reboard.vocabulary.declared import Event
from reboard.vocabulary.hints import choices, fields_of, has_fields
from reboard.vocabulary.limits import LOCAL, Sensor
from reboard.vocabulary.vocabulary import Vocabulary

VALUE = "value_json"
"""The state of the table in a template of Home Assistant."""

Platform = Literal["sensor", "binary_sensor", "event"]


class Entity(Record):
    """An entity of Home Assistant. *key* identifies it within the accessory: 1 to 32 of a-z, 0-9 and ``_``.

    *value* is a template of Home Assistant in which ``value_json`` is the shared state of the table; for an ``event``,
    it is an event of the table. A sensor's value can be ``None`` (not known), and a binary sensor's ``ON`` or ``OFF``.
    The value of an event is a JSON object with ``event_type``, or ``""`` for an event that is another entity's.

    *attributes* is a template of a JSON object. *settings* are further settings of Home Assistant, such as ``icon``.
    An entity that comes and goes is always declared, with *is_present* false while it is not there: only then does it
    leave Home Assistant.
    """

    key: str
    platform: Platform
    name: str
    value: str
    attributes: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    is_present: bool = True


def entities_of(vocabulary: Vocabulary, language: str) -> Iterator[Entity]:
    """Yield an entity for each `Sensor` of a *vocabulary*. Raises ``ValueError`` for one that cannot have a value."""
    if vocabulary.snapshot:
        yield from entities_of_state(vocabulary.snapshot, language)
    for event in vocabulary.events.values():
        yield from entities_of_event(event, language)


def entities_of_state(part: type, language: str, *objects: str) -> Iterator[Entity]:
    """Yield an entity for each `Sensor` in a *part* of the state. It is in *objects* of the state, which can be null.

    A boolean is on or off. An object, such as the faults, is on if it has entries, which are the attributes.
    """
    absent = " or ".join(f"not {each}" for each in objects)

    def unless_absent(value: str, otherwise: str) -> str:
        return f"{{{{ {otherwise} if {absent} else {value} }}}}" if absent else f"{{{{ {value} }}}}"

    for each in fields_of(part):
        of, value = each.hint, f"{[VALUE, *objects][-1]}.{each.name}"
        if sensor := of.limit(Sensor):
            if LOCAL in of.limits:
                raise ValueError(f"the field {each.name!r} of {part.__name__} has Sensor and LOCAL: remove one of them")
            is_object = isinstance(of.shape, type) and issubclass(of.shape, Mapping)
            is_binary = is_object or of.shape is bool
            yield Entity(
                sensor.key,
                "binary_sensor" if is_binary else "sensor",
                Texts(language)(sensor.name),
                unless_absent(f"'ON' if {value} else 'OFF'" if is_binary else value, "None"),
                unless_absent(f"{value} | tojson", "{}") if is_object else "",
                sensor.settings,
            )
        elif has_fields(of.type):
            yield from entities_of_state(of.type, language, *objects, value)


def entities_of_event(event: type[Event], language: str) -> Iterator[Entity]:
    """Yield an entity for each `Sensor` of an *event*: the field is its type, and the others are attributes."""
    fields = fields_of(event)
    for each in fields:
        if sensor := each.hint.limit(Sensor):
            if not event.is_shared or not choices(each.hint):
                needed = "is_shared=True, and the field a Literal with its values"
                raise ValueError(f"the field {each.name!r} has a Sensor: its event {event.event} needs {needed}")
            keys = {"event_type": each.name, **{other.name: other.name for other in fields if other is not each}}
            values = ", ".join(f'"{key}": value_json.{name}' for key, name in keys.items())
            yield Entity(
                sensor.key,
                "event",
                Texts(language)(sensor.name),
                f'{{%- if value_json.event == "{event.event}" -%}}\n{{{{ {{{values}}} | tojson }}}}\n{{%- endif -%}}',
                settings={"event_types": [*choices(each.hint)], **sensor.settings},
            )
