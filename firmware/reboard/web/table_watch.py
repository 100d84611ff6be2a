"""`TableWatch`, which follows the state of the table through the control socket."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from reboard.accessories.installed import all_events
from reboard.aiotools import Backoff, first_of, loop_time, set_within
from reboard.control.client import ControlClient
from reboard.errors import ReboardError
from reboard.web.responses import EventStreams, server_sent

log = logging.getLogger(__name__)

SNAPSHOT_GAP_S = 0.1
"""The shortest time between two requests for a snapshot, in seconds. An event of the table causes a request."""
SILENCE_S = 10.0
"""The time without an event after which the page requests a snapshot, in seconds. The request detects a hung table."""
ANSWER_S = 5.0
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 2.0
RECENT = 100
SHOWN = 40


class TableWatch:
    """The latest state of the table. `run` keeps it up to date and publishes it on *streams*.

    The events of the table are published without a kind. The other messages have these kinds:

    - ``connection``: ``connected`` (whether the table is connected), and ``why`` if it is not
    - ``past``: an event from before the connection
    - ``table``: the snapshot
    """

    def __init__(self, socket: Path, streams: EventStreams) -> None:
        self.snapshot: dict[str, Any] | None = None
        self.why_away: str | None = "the page is starting and has not connected to the table yet"
        self._snapshot_at = 0.0
        self._socket = socket
        self._streams = streams
        self._latest: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        self._passing = {name for name, kind in all_events().items() if kind.is_passing}
        self._changed = asyncio.Event()

    def first_events(self) -> list[bytes]:
        """Return the messages for a new browser: the connection, the snapshot and the latest events."""
        table = [] if self.snapshot is None else [server_sent(self.now(), "table")]
        return [self._connection(), *table, *(server_sent(event, "past") for event in self._latest)]

    def now(self) -> dict[str, Any]:
        """Return the latest snapshot, with the current time of the table in ``t``."""
        assert self.snapshot is not None
        since_s = loop_time() - self._snapshot_at
        return {**self.snapshot, "t": round(self.snapshot["t"] + since_s, 6)}

    async def run(self) -> None:
        """Follow the table until cancelled. Reconnect with a backoff after a lost connection."""
        backoff = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        while True:
            try:
                async with await ControlClient.connect(self._socket, timeout_s=ANSWER_S) as table:
                    await self._follow(table)
            except ReboardError as error:
                if not self.why_away:
                    backoff.reset()
                self._set_away(str(error))
            except Exception as error:
                log.exception("the page cannot process a message from the table")
                self._set_away(f"the page cannot process a message from the table: {error!r}")
            await asyncio.sleep(backoff.next())

    async def _follow(self, table: ControlClient) -> None:
        events = await table.events(RECENT)
        snapshot = await table.request("snapshot")
        self._latest.clear()
        self.snapshot = None  # it is published even if it is the same as before
        log.info("the page is connected to the table")
        self.why_away = None
        self._streams.publish(self._connection())
        self._update(snapshot)
        await first_of(self._publish(events), self._refresh(table))

    async def _publish(self, events: AsyncIterator[dict[str, Any]]) -> None:
        async for event in events:
            is_past = event.pop("recent", False)
            if event["event"] not in self._passing:
                self._latest.append(event)
            if is_past:
                self._streams.publish(server_sent(event, "past"))
            else:
                self._streams.publish(server_sent(event))
                self._changed.set()

    async def _refresh(self, table: ControlClient) -> None:
        while True:
            await asyncio.sleep(SNAPSHOT_GAP_S)
            await set_within(self._changed, SILENCE_S)
            self._changed.clear()
            self._update(await table.request("snapshot"))

    def _update(self, snapshot: dict[str, Any]) -> None:
        before, self.snapshot = self.snapshot, snapshot
        self._snapshot_at = loop_time()
        if before is None or snapshot != {**before, "t": snapshot.get("t")}:
            self._streams.publish(server_sent(snapshot, "table"))

    def _set_away(self, why: str) -> None:
        if why != self.why_away:
            log.warning("%s", why)
            self.why_away = why
            self._streams.publish(self._connection())

    def _connection(self) -> bytes:
        return server_sent({"connected": self.why_away is None, "why": self.why_away}, "connection")
