"""What the page knows of the table: only what came through its door."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from reboard.door.client import DoorClient
from reboard.either import either
from reboard.errors import ReboardError
from reboard.events import PASSING
from reboard.page.story import Storyteller
from reboard.pauses import Pauses
from reboard.web.event_stream import EventStreams, server_sent

log = logging.getLogger(__name__)

LOOK_GAP_S = 0.1
"""The table is asked how it stands after events, but no more often than this."""
LOOK_ANYWAY_S = 10.0
"""And after so much silence: a table that hangs is found out."""
ANSWER_S = 5.0
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 2.0
"""Between two knocks at a door where nobody answers."""
RECENT = 100
SHOWN = 40


class TableWatch:
    """The table as it was seen last, kept fresh by `run`, and told to everybody on *streams*.

    Its *teller* knows the game so far.

    Beside the table's own events, which carry no kind, these are sent: ``connection`` (``connected`` and, if not,
    ``why``; when it is, everything known is told anew), ``past`` (one of the latest events) and ``table`` (the
    snapshot).
    """

    def __init__(self, door: Path, streams: EventStreams) -> None:
        self.snapshot: dict[str, Any] | None = None
        self.why_away: str | None = "the page has only just begun to look for the table"
        self.teller = Storyteller(door)
        self._seen_at = 0.0
        self._door = door
        self._streams = streams
        self._latest: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        self._changed = asyncio.Event()

    def first_events(self) -> list[bytes]:
        """What a newcomer is told first."""
        table = [] if self.snapshot is None else [server_sent(self.now(), "table")]
        return [self._connection(), *table, *(server_sent(event, "past") for event in self._latest)]

    def now(self) -> dict[str, Any]:
        """The snapshot as the table would tell it now: it is seldom asked while nothing happens."""
        assert self.snapshot is not None
        since_s = asyncio.get_running_loop().time() - self._seen_at
        return {**self.snapshot, "t": round(self.snapshot["t"] + since_s, 6)}

    async def run(self) -> None:
        """Watch for ever, looking for the table anew whenever it is away."""
        pauses = Pauses(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        while True:
            try:
                async with await DoorClient.connect(self._door, timeout_s=ANSWER_S) as table:
                    await self._watch(table)
            except ReboardError as error:
                if not self.why_away:
                    pauses.reset()
                self._away(str(error))
            except Exception as error:
                log.exception("the page does not understand the table")
                self._away(f"the page does not understand the table: {error!r}")
            await asyncio.sleep(pauses.next())

    async def _watch(self, table: DoorClient) -> None:
        events = await table.events(RECENT)
        snapshot = await table.request("snapshot")
        self._latest.clear()
        self.teller.forget()
        self.snapshot = None  # what was known is told anew
        self._here()
        self._show(snapshot)
        await either(self._pass_on(events), self._keep_fresh(table))

    async def _pass_on(self, events: AsyncIterator[dict[str, Any]]) -> None:
        async for event in events:
            is_past = event.pop("recent", False)
            if event["event"] not in PASSING:
                self._latest.append(event)
            if is_past:
                self._streams.publish(server_sent(event, "past"))
            else:
                self._streams.publish(server_sent(event))
                self._changed.set()

    async def _keep_fresh(self, table: DoorClient) -> None:
        while True:
            await asyncio.sleep(LOOK_GAP_S)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_ANYWAY_S):
                    await self._changed.wait()
            self._changed.clear()
            self._show(await table.request("snapshot"))

    def _show(self, snapshot: dict[str, Any]) -> None:
        before, self.snapshot = self.snapshot, snapshot
        self._seen_at = asyncio.get_running_loop().time()
        self.teller.hear(snapshot)
        if before is None or snapshot != {**before, "t": snapshot.get("t")}:
            self._streams.publish(server_sent(snapshot, "table"))

    def _here(self) -> None:
        log.info("the table is here")
        self.why_away = None
        self._streams.publish(self._connection())

    def _away(self, why: str) -> None:
        if why != self.why_away:
            log.warning("%s", why)
            self.why_away = why
            self._streams.publish(self._connection())

    def _connection(self) -> bytes:
        return server_sent({"connected": self.why_away is None, "why": self.why_away}, "connection")
