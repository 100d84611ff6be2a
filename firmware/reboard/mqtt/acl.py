"""The access list for mosquitto: what each user of the broker may write and read."""

from __future__ import annotations

from collections.abc import Sequence

from reboard.mqtt.discovery import discovery_topic

LONGEST_USER = 40
"""The maximum length of the name of a user who sends requests, which is a level of a topic."""

TABLE_WRITES = (
    "reboard/%u/availability",
    "reboard/%u/state",
    "reboard/%u/transfer",
    "reboard/%u/head",
    "reboard/%u/event",
    "reboard/%u/response/#",
)
TABLE_READS = ("reboard/%u/have", "reboard/%u/request/+", "homeassistant/status")
SHOWN = ("availability", "state", "event")
"""The last levels of the topics from which a smart home shows a table."""


def access_list(
    tables: Sequence[str],
    *,
    halls: Sequence[str] = (),
    home_assistants: Sequence[str] = (),
    organisers: Sequence[str] = (),
) -> str:
    """Return the access list for mosquitto. Each of the *tables* is also the name of a user of the broker."""
    lines = [
        "# Access list of mosquitto for reboard. Without a line here, a user can neither write nor read.",
        f"# A table's user has the table's name: {', '.join(tables)}.",
        "",
        "# pattern lines hold for every user, whose name replaces %u. All users may read the last topic,",
        "# so it has no %u: ignore mosquitto's warning about that line",
        *(f"pattern write {topic}" for topic in TABLE_WRITES),
        *(f"pattern read {topic}" for topic in TABLE_READS),
    ]
    # since mosquitto 2.1, %u is replaced only where it is a whole level
    for table in tables:
        lines += ["", f"user {table}", f"topic write {discovery_topic(table)}"]
    for user in dict.fromkeys([*halls, *home_assistants, *organisers]):
        lines += ["", f"user {user}"]
        lines += [f"topic deny {topic.replace('%u', user)}" for topic in TABLE_WRITES]
        shown = [f"topic read reboard/+/{level}" for level in SHOWN]
        if user in halls:
            further = ("topic read reboard/+/transfer", "topic read reboard/+/head", "topic write reboard/+/have")
            lines += [*shown, *further]
        if user in home_assistants:
            lines += ["topic readwrite homeassistant/#", *shown]
        if user in organisers:
            lines += [f"topic write reboard/+/request/{user}", f"topic read reboard/+/response/{user}/#"]
    return "\n".join(lines) + "\n"
