"""What every table says and takes: the requests, events and keys of the snapshot that belong to no accessory."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

from reboard.board import LARGEST_VOLUME
from reboard.devices.speaker import Said, SoundStarted, VolumeSet
from reboard.errors import Why
from reboard.events import REMEMBERED, Fault, Recovered
from reboard.labels import Labels
from reboard.vocabulary.declared import Event, Request, State
from reboard.vocabulary.limits import LOCAL, Between, Sensor

PhonePay = Literal["off", "ask", "free"]
"""How players pay with their phones: not at all, after ``GO`` or the host confirms it, or at once."""


class Snapshot(Request, do="snapshot", changes=False):
    """Answers with the table."""


class Events(Request, do="events", changes=False):
    """Sends every event from now on, after the latest ones, which have `"recent": true` and are not passing."""

    recent: Annotated[int, Between(0, REMEMBERED), "so many of the latest ones"] = 0


class WatchSignals(Request, do="watch_signals", changes=False):
    """Answers with the signals since the previous answer."""


class Readers(Request, do="readers", changes=False):
    """Answers with what each card reader has sent, by its label.

    Each has `{part, bytes, frames, dropped, tag, tag_s, advice}`. `tag_s` is the age of the latest card in seconds.
    """


class BackUp(Request, do="backup", changes=False):
    """Answers with the next piece of a backup file, in base64. The first request makes it; `""` ends it."""


class Volume(Request, do="volume"):
    """Set the volume of the speaker."""

    level: Annotated[int, Between(0, LARGEST_VOLUME), "0 is mute"]


class Requested(Event, name="requested"):
    """A changing request was carried out."""

    do: str
    by: Annotated[str, "the sender"]
    args: Mapping[str, Any]


class Table(State):
    """The table now."""

    edition: Annotated[str, "its name, such as world or world/quick"]
    title: Annotated[str, "its title"]
    titles: Annotated[Mapping[str, str], "the title in each language"]
    t: Annotated[float, LOCAL, "seconds since the table was switched on; on the bench since the setup was loaded"]
    counts_from: Annotated[float | None, LOCAL, "on the bench, where pages show t: the calendar at t 0, since 1970"]
    units: Annotated[bool, "whether amounts have K and M"]
    rules: Annotated[
        Mapping[str, Any], LOCAL, "start, salary, jail_fee, players, notes … of the edition, with amounts as displayed"
    ]
    volume: Annotated[int, Between(0, LARGEST_VOLUME)]
    faults: Annotated[
        Mapping[str, str],
        Sensor("faults", "Fault", device_class="problem"),
        "the present faults, each with its cause",
    ]


class TableWhy(Labels):
    """The reasons to reject a request to any accessory."""

    NOT_RUNNING = Why("not running", "the accessory is not running at the moment: `reboard doctor` shows why")


REQUESTS: Mapping[str, type[Request]] = {
    each.do: each for each in (Snapshot, Events, WatchSignals, Readers, BackUp, Volume)
}
"""The requests that every table serves, keyed by name. An accessory can add others."""

EVENTS: Mapping[str, type[Event]] = {
    each.event: each for each in (SoundStarted, Said, VolumeSet, Requested, Fault, Recovered)
}
"""The events of every table, keyed by name. Devices and accessories add others."""

NAME = re.compile("[a-z][a-z0-9_]*")
"""The pattern of an accessory's name."""

OTHER_SECTIONS = ("edition", "speaker", "page", "mqtt", "wiring", "state")
"""The keys of ``table.toml`` that are not the name of an accessory."""

TABLE_KEYS = ("language", "lang", *inspect.get_annotations(Table))
"""The keys of a snapshot, and of what leaves the table, that belong to the table."""

NAMES_OF_TABLES: Mapping[str, Collection[str]] = {
    "request": REQUESTS,
    "event": EVENTS,
    "key of the snapshot": TABLE_KEYS,
}
"""The names that no accessory can take, keyed by what they name."""
