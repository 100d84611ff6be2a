"""What leaves the table over MQTT: the shared part of its snapshot and of its events."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from reboard.accessories.accessory import absent_of
from reboard.accessories.installed import accessories, all_events
from reboard.accessories.table_vocabulary import Table
from reboard.errors import PLUG_IN_ERRORS, Repeats
from reboard.strict_json import plain
from reboard.vocabulary.shared import shared, without_names

log = logging.getLogger(__name__)
_bugs = Repeats()


def shared_state(snapshot: Mapping[str, Any], *, names: bool, language: str = "en") -> dict[str, object]:
    """Return the part of *snapshot* that leaves the table, with the *names* of the players or without them.

    *language* is the code of the table's language.

    An accessory whose part does not match its declaration is left out, and the failure is logged.
    """
    state = {**shared(snapshot, Table), "lang": language}
    for name, accessory in accessories().items():
        absent = absent_of(accessory)
        part = {**absent, **{key: snapshot[key] for key in absent if key in snapshot}}
        try:
            state |= plain(shared(part, accessory.vocabulary.snapshot), f"what {name} shares")
        except PLUG_IN_ERRORS as error:
            _bugs.report(log, f"{name} shares no state, because of a bug", error)
    return state if names else without_names(state)


def shared_event(event: Mapping[str, Any], *, at: float, names: bool) -> dict[str, object] | None:
    """Return what leaves the table of *event*, which happened *at* so many seconds since 1970, or ``None``."""
    declared = all_events().get(event["event"])
    if declared is None or not declared.is_shared:
        return None
    fields = {key: value for key, value in event.items() if key != "t"}
    return {**(fields if names else without_names(fields)), "at": round(at, 3)}
