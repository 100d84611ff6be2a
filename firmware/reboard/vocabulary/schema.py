"""JSON schemas of declared classes, for the OpenAPI description and the messages over MQTT. No table imports this."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, Union

from reboard.vocabulary.checks import arguments_of
from reboard.vocabulary.declared import PHONE, Event, Request
from reboard.vocabulary.hints import Field, Hint, choices, fields_of, has_fields, hint
from reboard.vocabulary.limits import LOCAL, Between, Keys, Length, Matches
from reboard.vocabulary.shared import NAME

Schema = dict[str, Any]

PRINTABLE = r"^[^\u0000-\u001f\u007f-\u00a0]*$"
"""The pattern of texts that are checked, see `reboard.vocabulary.checks`. Rare characters are also not printable."""


class Schemas:
    """The schemas of classes. Those that others refer to are *definitions* at *place* of the document.

    With *is_shared* they describe what leaves the table over MQTT: without what is `LOCAL`, and with names of players
    only if the table shares them.
    """

    def __init__(self, place: str, *, is_shared: bool = False) -> None:
        self.definitions: dict[str, Schema] = {}
        self._place = place
        self._is_shared = is_shared
        self._names: dict[type, str] = {}

    def refer(self, declared: type, *parts: type) -> Schema:
        """Return a reference to the schema of a class, see `object`, which is added to the definitions."""
        if declared not in self._names:
            name = declared.__name__
            if name in self._names.values():
                name = f"{declared.__module__.replace('.', '_')}_{name}"
            self._names[declared] = name
            self.definitions[name] = self.object(declared, *parts)
        return {"$ref": f"{self._place}/{self._names[declared]}"}

    def object(self, declared: type, *parts: type) -> Schema:
        """Return the schema of a class with fields: a ``TypedDict``, an event, a request or a message.

        An object has no other keys, unless there are *parts*, whose keys it has in addition. Of two fields with one
        name, the last part's is described.
        """
        fixed: Schema = {}
        if issubclass(declared, Request):
            arguments_of(declared)  # raises an exception for an annotation that no argument can have
            fixed = {"do": {"const": declared.do}}
        elif issubclass(declared, Event):
            fixed = {"event": {"const": declared.event}}
        named = {field.name: field for each in (declared, *parts) for field in fields_of(each)}
        if issubclass(declared, Request):
            named.pop(PHONE, None)
        fields = [field for field in named.values() if not (self._is_shared and LOCAL in field.hint.limits)]
        schema: Schema = {
            "type": "object",
            "description": summary(declared),
            "properties": {**fixed, **{field.name: self._of_field(field) for field in fields}},
            "required": [*fixed, *(field.name for field in fields if not self._may_be_missing(field))],
        }
        return schema if parts else {**schema, "additionalProperties": False}

    def _may_be_missing(self, field: Field) -> bool:
        return field.is_optional or (self._is_shared and field.name == NAME)

    def _of_field(self, field: Field) -> Schema:
        schema = self.of(field.hint)
        if self._is_shared and field.name == NAME:
            words = [field.hint.meaning, "only with share_names = true"]
            schema["description"] = "; ".join(filter(None, words))
        return schema

    def of(self, of: Hint) -> Schema:
        """Return the schema of an annotation."""
        schema = self._of(of)
        if of.is_nullable and "enum" in schema:
            schema["enum"].append(None)
        elif of.is_nullable and "type" in schema:
            schema["type"] = [schema["type"], "null"]
        elif of.is_nullable:
            schema = {"oneOf": [schema, {"type": "null"}]}
        if of.meaning:
            schema["description"] = of.meaning
        return schema

    def _of(self, of: Hint) -> Schema:
        if has_fields(of.type):
            return self.refer(of.type)
        if values := choices(of):
            return {"enum": [*values]}
        if of.shape is bool:
            return {"type": "boolean"}
        if of.shape in (int, float):
            return {"type": "integer" if of.shape is int else "number"} | _between(of.limit(Between))
        if of.shape is str:
            return {"type": "string"} | _pattern(of) | _length(of, "Length")
        if of.shape in (Union, UnionType):
            return {"anyOf": [self.of(hint(each)) for each in of.parameters]}
        if isinstance(of.shape, type) and issubclass(of.shape, Mapping):
            return {"type": "object", "additionalProperties": self._inner(of, 1)} | _names(of)
        if isinstance(of.shape, type) and issubclass(of.shape, Sequence):
            return {"type": "array", "items": self._inner(of, 0)} | _length(of, "Items")
        return {}

    def _inner(self, of: Hint, place: int) -> Schema:
        return self.of(hint(of.parameters[place])) if of.parameters[place:] else {}


def summary(declared: type) -> str:
    """Return the first paragraph of the docstring of a class."""
    return " ".join((inspect.getdoc(declared) or "").partition("\n\n")[0].split())


def _names(of: Hint) -> Schema:
    if keys := of.limit(Keys):
        return {"propertyNames": {"pattern": _whole(keys.pattern)}}
    names = choices(hint(of.parameters[0])) if of.parameters else ()
    return {"propertyNames": {"enum": [*names]}} if names else {}


def _between(between: Between | None) -> Schema:
    if between is None:
        return {}
    least = "exclusiveMinimum" if between.is_above else "minimum"
    return _given({least: between.least, "maximum": between.most})


def _length(of: Hint, what: str) -> Schema:
    length = of.limit(Length)
    return _given({f"min{what}": length.least or None, f"max{what}": length.most}) if length else {}


def _pattern(of: Hint) -> Schema:
    matches, length = of.limit(Matches), of.limit(Length)
    if matches:
        return {"pattern": _whole(matches.pattern)}
    return {"pattern": PRINTABLE} if length and length.most is not None else {}


def _whole(pattern: str) -> str:
    return f"^(?:{pattern})$"


def _given(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if value is not None}
