"""What leaves the table over MQTT: the shared part of its snapshot and of its events."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from reboard.accessories.accessory import without_names
from reboard.accessories.installed import accessories, event_kinds
from reboard.errors import PLUG_IN_ERRORS, Repeats
from reboard.strict_json import plain

log = logging.getLogger(__name__)
_bugs = Repeats()

COMMON = ("edition", "title", "titles", "units", "volume", "faults")
"""The keys of the snapshot that every table shares. Each accessory adds others, see `Accessory.shared`."""


def shared_state(snapshot: Mapping[str, Any], *, names: bool, language: str = "en") -> dict[str, object]:
    """Return the part of *snapshot* that leaves the table, with the *names* of the players or without them.

    *language* is the code of the table's language.

    An accessory that cannot name its part is left out, and the failure is logged.
    """
    common = {key: snapshot[key] for key in COMMON if key in snapshot}
    state: dict[str, object] = {**common, "lang": language}
    for name, accessory in accessories().items():
        absent = accessory.absent_snapshot
        part = {**common, **absent, **{key: snapshot[key] for key in absent if key in snapshot}}
        try:
            shared = plain(dict(accessory.shared(part, names=names)), f"what {name} shares")
        except PLUG_IN_ERRORS as error:
            _bugs.report(log, f"{name} shares no state, because of a bug", error)
        else:
            state |= {key: value for key, value in shared.items() if key not in state}
    return state


def shared_event(event: Mapping[str, Any], *, at: float, names: bool) -> dict[str, object] | None:
    """Return what leaves the table of *event*, which happened *at* so many seconds since 1970, or ``None``."""
    kind = event_kinds().get(event["event"])
    if kind is None or not kind.is_shared:
        return None
    fields = {key: value for key, value in event.items() if key != "t"}
    return {**(fields if names else without_names(fields)), "at": round(at, 3)}
