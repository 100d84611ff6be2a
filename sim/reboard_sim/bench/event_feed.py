"""The table's events as server-sent events: numbered, so that a client that lost its line can go on where it was."""

from __future__ import annotations

from collections import deque
from typing import Any

from starlette.requests import Request

from reboard.web.event_stream import EventStreams, server_sent

REMEMBERED = 200
"""So many events a client that comes back can be told."""

MOST_DIGITS = 18
"""No event has a longer number, and Python refuses to read one of thousands of digits."""


class EventFeed:
    """Every event of the table, counted from 1, sent to every client of each of *streams*."""

    def __init__(self, *streams: EventStreams) -> None:
        self._streams = streams
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=REMEMBERED)
        self._count = 0

    def hear(self, event: dict[str, Any]) -> None:
        """Send *event* on."""
        self._count += 1
        message = f"id: {self._count}\n".encode() + server_sent(event)
        self._recent.append((self._count, message))
        for streams in self._streams:
            streams.publish(message)

    def missed(self, request: Request) -> list[bytes]:
        """The events after the last one that the client of *request* says it saw; none, if it does not say."""
        last = request.headers.get("last-event-id") or request.query_params.get("after", "")
        after = int(last) if last.isdecimal() and len(last) <= MOST_DIGITS else self._count
        return [message for number, message in self._recent if number > after]
