"""The streams of the bench: server-sent events, and a WebSocket for each page with devices, events and sound."""

from __future__ import annotations

import asyncio
import json
import logging
import struct
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket, WebSocketDisconnect

from reboard.aiotools import first_of, loop_time, set_within
from reboard.strict_json import encoded
from reboard.web.responses import BadRequest, server_sent

log = logging.getLogger(__name__)

REMEMBERED = 200
"""The maximum number of events that the bench keeps for clients that reconnect, and for each slow page."""

MOST_DIGITS = 18
"""The maximum number of digits in an event number. Python cannot convert texts with thousands of digits."""


def as_text(data: object) -> str:
    """Return *data* as JSON without spaces."""
    return encoded(data).decode()


class EventFeed:
    """A feed that numbers the events of the table from 1, and keeps the latest `REMEMBERED` events."""

    def __init__(self) -> None:
        self.count = 0
        """The number of the latest event."""
        self._recent: deque[tuple[int, dict[str, Any]]] = deque(maxlen=REMEMBERED)

    def add(self, event: dict[str, Any]) -> int:
        """Keep *event*, and return its number."""
        self.count += 1
        self._recent.append((self.count, event))
        return self.count

    def recent(self) -> list[dict[str, Any]]:
        return [event for _, event in self._recent]

    def missed(self, client: HTTPConnection) -> list[tuple[int, dict[str, Any]]]:
        """Return the kept events after the last one that *client* received, each with its number.

        The request has the last number in ``Last-Event-ID`` or ``?after=``. Without a valid number, return no events.
        """
        last = client.headers.get("last-event-id") or client.query_params.get("after", "")
        after = int(last) if last.isdecimal() and len(last) <= MOST_DIGITS else self.count
        return [(number, event) for number, event in self._recent if number > after]


def numbered(number: int, event: dict[str, Any]) -> bytes:
    """Return *event* as a server-sent event with the id *number*."""
    return f"id: {number}\n".encode() + server_sent(event)


MOST_PAGES = 20

UPDATES_PER_S = 30
"""The maximum number of messages with devices and events to a page, per second."""

RESTING_PER_S = 2
"""The maximum number of looks at the devices per second while the table works without a change."""

RESTS_AFTER_S = 2.0
"""The time without a change after which a table is at rest, in seconds. Any event or request ends the rest at once."""

RETRY_S = 1.0
"""The pause after the table did not answer, in seconds."""

NEWS_PER_S = 20
"""The maximum number of messages with the signals inside the table to a page, per second."""

REQUESTS_PER_S = 10
"""The maximum number of messages that the bench reads from a page, per second. The others wait in the network."""

MOST_BLOCKS = 50
"""The maximum number of blocks of sound that wait for a page: one second. Later blocks are dropped."""

FASTEST_COUNTED = 10.0
"""The maximum rate, in virtual seconds per real second, at which a page computes the time without updates."""

BLOCK_TIME = struct.Struct("<d")
"""The header of a block of sound: its time in seconds as float64, little-endian."""

TOPICS = frozenset({"sound", "inside"})
"""The topics that a page can request in addition to devices and events."""

GOING_AWAY, INVALID, TOO_MANY = 1001, 1007, 1013
"""The WebSocket close codes that the bench sends: it shuts down, invalid payload data, and try again later."""

Poll = Callable[[], dict[str, Any] | None]
"""A function that returns the signals since its previous call, or ``None`` if the table is unchanged.

Any thread can call it, but calls must not overlap."""


class LivePages:
    """The open pages, each with a WebSocket. A slow page gets only the latest states and events.

    *hardware* returns the state of the devices. *open_inside_view* returns the poll function for one page. When *ended*
    is set, all pages are closed permanently. If *can_rest* is false, devices can change at any time without an event.
    """

    def __init__(
        self,
        hardware: Callable[[], dict[str, Any]],
        open_inside_view: Callable[[], Poll],
        ended: asyncio.Event,
        *,
        can_rest: bool = True,
    ) -> None:
        self._can_rest = can_rest
        self._hardware = hardware
        self._open_inside_view = open_inside_view
        self._ended = ended
        self._pages: set[_Page] = set()
        self._has_pages = asyncio.Event()
        self._is_stirred = asyncio.Event()
        self.is_due = asyncio.Event()
        """Whether the devices may have changed since the previous look. At rest, the next look waits for it."""

    def stir(self) -> None:
        """Look at the devices soon, because something has happened."""
        self._is_stirred.set()
        self.is_due.set()

    def publish(self, name: str, news: object) -> None:
        """Send news to every page.

        *name* is ``events`` for an event with its number, and ``refusals`` for the reason why a play line failed after
        the response to its request.
        """
        if self._pages:
            message = as_text(news)
            for page in self._pages:
                page.put(name, message)
            self.stir()

    def publish_sound(self, t: float, samples: bytes) -> None:
        """Send a block of sound, which starts at *t* seconds, to every page that has requested sound."""
        for page in self._pages:
            page.put_sound(BLOCK_TIME.pack(t) + samples)

    async def watch(self) -> None:
        """Send the state of the devices to every page after each change, until cancelled.

        If the table does not answer, as after the computer was asleep, ask again.
        """
        seen: dict[str, Any] | None = None
        changed_at = 0.0
        while True:
            await self._has_pages.wait()
            self.is_due.clear()
            try:
                hardware = await asyncio.to_thread(self._hardware)
            except (TimeoutError, RuntimeError) as problem:
                log.warning("the table did not say the state of its devices: %s", problem or type(problem).__name__)
                await asyncio.sleep(RETRY_S)
                continue
            # a page computes the time itself while the clock is even
            now = {**hardware, "t": None} if 0 < hardware["rate"] <= FASTEST_COUNTED else hardware
            message = as_text(hardware)
            for page in self._pages:
                if now != seen or not page.has_hardware:
                    page.put_hardware(message)
            if now != seen or self._is_stirred.is_set():
                changed_at = loop_time()
            seen = now
            self._is_stirred.clear()
            await asyncio.sleep(1 / UPDATES_PER_S)
            if self._can_rest and loop_time() - changed_at > RESTS_AFTER_S:
                await set_within(self._is_stirred, 1 / RESTING_PER_S)
                await self.is_due.wait()

    async def serve(self, socket: WebSocket, missed: Callable[[], Iterable[tuple[int, dict[str, Any]]]]) -> None:
        """Serve the page at *socket* until it closes, beginning with the events that *missed* returns."""
        await socket.accept()
        if self._ended.is_set():
            await socket.close(GOING_AWAY, "The bench is shutting down.")
            return
        if len(self._pages) >= MOST_PAGES:
            await socket.close(TOO_MANY, "Too many pages are open. Close one.")
            return
        page = _Page(socket, self._open_inside_view)
        for number, event in missed():
            page.put("events", as_text([number, event]))
        self._pages.add(page)
        self._has_pages.set()
        self.stir()
        try:
            await first_of(page.read(), page.send_updates(), page.send_sound(), page.send_inside(), self._ended.wait())
            await socket.close(GOING_AWAY, "The bench is shutting down.")
        except WebSocketDisconnect:
            pass
        except BadRequest as problem:
            await socket.close(INVALID, str(problem))
        finally:
            self._pages.discard(page)
            if not self._pages:
                self._has_pages.clear()


class _Page:
    def __init__(self, socket: WebSocket, open_inside_view: Callable[[], Poll]) -> None:
        self.has_hardware = False
        self._socket = socket
        self._open_inside_view = open_inside_view
        self._hardware = ""
        self._lists: dict[str, deque[str]] = {name: deque(maxlen=REMEMBERED) for name in ("events", "refusals")}
        self._news = asyncio.Event()
        self._hears = False
        self._blocks: asyncio.Queue[bytes] = asyncio.Queue(MOST_BLOCKS)
        self._poll: Poll | None = None
        self._looks_inside = asyncio.Event()

    def put(self, name: str, message: str) -> None:
        self._lists[name].append(message)
        self._news.set()

    def put_hardware(self, message: str) -> None:
        self.has_hardware = True
        self._hardware = message
        self._news.set()

    def put_sound(self, block: bytes) -> None:
        if self._hears:
            with suppress(asyncio.QueueFull):
                self._blocks.put_nowait(block)

    async def read(self) -> None:
        """Read the topics that the page requests. Raise ``WebSocketDisconnect`` when the page closes."""
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect
            topics = _topics_in(message.get("text"))
            self._hears = "sound" in topics
            if "inside" not in topics:
                self._poll = None
            elif not self._poll:
                self._poll = self._open_inside_view()
                self._looks_inside.set()
            await asyncio.sleep(1 / REQUESTS_PER_S)

    async def send_updates(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            parts = [f'"hardware":{self._hardware}'] if self._hardware else []
            self._hardware = ""
            for name, messages in self._lists.items():
                if messages:
                    parts.append(f'"{name}":[{",".join(messages)}]')
                    messages.clear()
            await self._socket.send_text(f"{{{','.join(parts)}}}")
            await asyncio.sleep(1 / UPDATES_PER_S)

    async def send_sound(self) -> None:
        while True:
            await self._socket.send_bytes(await self._blocks.get())

    async def send_inside(self) -> None:
        while True:
            await self._looks_inside.wait()
            if not self._poll:
                self._looks_inside.clear()
                continue
            if news := await asyncio.to_thread(_news_text, self._poll):
                await self._socket.send_text(news)
            await asyncio.sleep(1 / NEWS_PER_S)


def _news_text(poll: Poll) -> str:
    news = poll()
    return f'{{"inside":{as_text(news)}}}' if news else ""


def _topics_in(text: str | None) -> frozenset[str]:
    with suppress(ValueError, TypeError, LookupError, RecursionError):
        topics = frozenset(json.loads(text or "")["topics"])
        if topics <= TOPICS:
            return topics
    raise BadRequest('send {"topics": []} with "sound", "inside", both or neither in the list')
