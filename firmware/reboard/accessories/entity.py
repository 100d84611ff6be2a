"""Entities: the values of an accessory that a smart home shows, such as Home Assistant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from reboard.record import Record

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
