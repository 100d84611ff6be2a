"""``python -m reboard.mqtt.schema``: print the JSON schema of the messages over MQTT, made from their declarations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from reboard.accessories.accessory import Accessory
from reboard.accessories.installed import accessories, events_of, is_plug_in
from reboard.accessories.table_vocabulary import EVENTS, Table
from reboard.mqtt.topics import OFFLINE, ONLINE, At, Have, Head, LedgerName, TopicLevel, TransferMessage
from reboard.vocabulary.schema import Schema, Schemas


class OfState(TypedDict):
    """What a state has besides the shared part of the snapshot."""

    lang: Annotated[str, "the code of the display's language"]
    ledger: Annotated[LedgerName | None, "null while none is open"]


class OfEvent(TypedDict):
    """What happened. An accessory of a plug-in adds events of its own."""

    event: str
    at: At
    ledger: NotRequired[Annotated[LedgerName | None, "the table's ledger; null while none is open"]]


def schema() -> Schema:
    """Return the schema of each message in ``$defs``, by the last level of its topic."""
    ours = [accessory for accessory in accessories().values() if not is_plug_in(accessory)]
    schemas = Schemas("#/$defs", is_shared=True)
    parts = [accessory.vocabulary.snapshot for accessory in ours if accessory.vocabulary.snapshot]
    state = schemas.object(Table, *parts, OfState)
    state["description"] = "The table now. An accessory of a plug-in adds keys of its own."
    messages = {
        TopicLevel.AVAILABILITY: {"enum": [ONLINE.decode(), OFFLINE.decode()], "description": "Plain text, not JSON."},
        TopicLevel.TRANSFER: schemas.object(TransferMessage),
        TopicLevel.HEAD: schemas.object(Head),
        TopicLevel.HAVE: schemas.object(Have),
        TopicLevel.STATE: state,
        TopicLevel.EVENT: _event(ours, schemas),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The messages of a table over MQTT, by the last level of their topic",
        "$defs": {**messages, **schemas.definitions},
    }


def _event(ours: Sequence[Accessory[Any]], schemas: Schemas) -> Schema:
    events = {**EVENTS, **{name: event for accessory in ours for name, event in events_of(accessory).items()}}
    described = {name: schemas.object(event) for name, event in events.items() if event.is_shared}
    others = {"description": "An event of a plug-in.", "properties": {"event": {"not": {"enum": [*described]}}}}
    event = {**schemas.object(OfEvent), "oneOf": [*described.values(), others]}
    for each in (event, *described.values()):
        del each["additionalProperties"]  # each describes only its part
    return event


def text() -> str:
    """Return the schema as a text."""
    return f"{json.dumps(schema(), indent=2, ensure_ascii=False)}\n"


if __name__ == "__main__":
    print(text(), end="")
