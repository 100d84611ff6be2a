"""What leaves the table over MQTT: all of the state that is not `LOCAL`, and players' names only if they are shared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reboard.vocabulary.hints import Hint, fields_of, has_fields, hint
from reboard.vocabulary.limits import LOCAL

NAME = "name"
"""The key of a player's name, and of nothing else that leaves the table."""


def shared(part: Mapping[str, Any], declared: type | None) -> dict[str, Any]:
    """Return the keys of *part* that leave the table. *declared* is its ``TypedDict``; without one, all of them do."""
    if declared is None:
        return dict(part)
    return {
        field.name: _shared_value(field.hint, part[field.name])
        for field in fields_of(declared)
        if field.name in part and LOCAL not in field.hint.limits
    }


def _shared_value(of: Hint, value: Any) -> Any:
    if isinstance(value, Mapping) and has_fields(of.type):
        return shared(value, of.type)
    if isinstance(value, list | tuple) and of.parameters:
        entry = hint(of.parameters[0])
        return [_shared_value(entry, each) for each in value]
    return value


def without_names(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of *part* of a snapshot or an event without the names of players."""
    return {key: _without_names(value) for key, value in part.items() if key != NAME}


def _without_names(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_names(value)
    return [_without_names(each) for each in value] if isinstance(value, list | tuple) else value
