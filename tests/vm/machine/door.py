"""The table's door, knocked at from inside the machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.vm.machine.inside import ANSWER_WITHIN_S, Followed, Inside

SOCKET = "/run/reboard/table.sock"

Event = Mapping[str, Any]


class Door:
    """What is asked of the table, and what it tells from then on. Raises `InsideError` when it is gone."""

    def __init__(self, inside: Inside) -> None:
        self._talk = _knock(inside, "events")
        answer = json.loads(self._talk.next())
        assert "ok" in answer, answer
        self.heard: list[Event] = []

    def until(self, name: str, within_s: float = ANSWER_WITHIN_S, **fields: object) -> Event:
        """The next event of this name that has these fields. All that come before it are kept in `heard`."""
        while True:
            event: Event = json.loads(self._talk.next(within_s))
            self.heard.append(event)
            if event["event"] == name and fields.items() <= event.items():
                return event

    def rest(self) -> list[Event]:
        """Hang up, and return whatever was still told."""
        return [json.loads(line) for line in self._talk.end()]


def snapshot(inside: Inside) -> Mapping[str, Any]:
    """The table now. Raises `InsideError` when nobody is at the door."""
    talk = _knock(inside, "snapshot")
    told: dict[str, Any] = json.loads(talk.next())["ok"]
    talk.end()
    return told


def _knock(inside: Inside, do: str) -> Followed:
    return inside.connect(SOCKET, json.dumps({"id": 1, "do": do}) + "\n")
