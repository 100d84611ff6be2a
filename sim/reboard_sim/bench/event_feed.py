"""The table's events as server-sent events: numbered, so that a client that lost its line can go on where it was."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

from reboard_sim.bench.streams import Mailbox, Streams

MOST_WAITING = 500
"""How many events a slow client may be behind before it is cut off."""

HEARTBEAT = b": still here\n\n"


def message(data: dict[str, Any], number: int | None = None) -> bytes:
    """One server-sent event."""
    head = "" if number is None else f"id: {number}\n"
    return f"{head}data: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


class EventFeed:
    """Every event of the table, counted from 1, and handed to all clients. Lives on the server's loop."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self._boxes: set[Mailbox[bytes]] = set()
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=MOST_WAITING)
        self._count = 0

    def hear(self, event: dict[str, Any]) -> None:
        """Hand *event* on."""
        self._count += 1
        text = message(event, self._count)
        self._recent.append((self._count, text))
        for box in self._boxes:
            box.put(text)

    async def messages(self, after: int | None) -> AsyncIterator[bytes]:
        """What a client is sent: from now on, or from the first remembered event whose number is above *after*."""
        box: Mailbox[bytes] = Mailbox(MOST_WAITING)
        if after is not None:
            for number, text in self._recent:
                if number > after:
                    box.put(text)
        self._boxes.add(box)
        try:
            with self._streams.open(box.close):
                yield HEARTBEAT
                async for text_or_silence in box.items():
                    yield text_or_silence or HEARTBEAT
        finally:
            self._boxes.discard(box)
