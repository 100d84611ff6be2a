"""The other side of the table's door: what the page, the commands and somebody's script use."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from reboard.door.words import encoded
from reboard.errors import DoorError, ForbiddenDoorError, NoTableError, ReboardError
from reboard.refusal import REFUSALS, Refusal

USUAL_TIMEOUT_S = 10.0
"""A memory card may stall for seconds before a change is safe."""
TRY_AGAIN_S = 0.05
"""How long a client waits before it knocks again at a door that has too many to let in."""
LONGEST_ANSWER_BYTES = 1024 * 1024
MOST_UNREAD_EVENTS = 1000


class DoorClient:
    """A connection to a table. Make it with `connect`; `close` it, or use it as an async context manager.

    *timeout_s* is how long any one answer may take. When the table goes away, whatever waits raises `DoorError`.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, timeout_s: float) -> None:
        self._reader = reader
        self._writer = writer
        self._timeout_s = timeout_s
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._why_gone = ""
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def connect(cls, path: Path, *, timeout_s: float = USUAL_TIMEOUT_S) -> DoorClient:
        """Knock at the table's door. Raises `NoTableError` when nobody is there, `DoorError` when it stays shut."""
        try:
            async with asyncio.timeout(timeout_s):
                connection = await _connected(path)
                reader, writer = await asyncio.open_unix_connection(sock=connection, limit=LONGEST_ANSWER_BYTES)
        except (FileNotFoundError, ConnectionRefusedError):
            raise NoTableError(f"no table is at work: nobody answers at {path}; start one with `reboard run`") from None
        except PermissionError:
            raise ForbiddenDoorError(
                f"you may not open the table's door at {path}: join the group it belongs to"
            ) from None
        except TimeoutError:
            raise DoorError(f"the table at {path} does not open its door within {timeout_s:g} s") from None
        except OSError as error:
            raise DoorError(f"the table's door at {path} cannot be opened: {error.strerror or error}") from error
        return cls(reader, writer, timeout_s)

    async def __aenter__(self) -> DoorClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def request(self, do: str, **args: object) -> Any:
        """Ask, and return the answer.

        Raises `ReboardError` with the table's own sentence when it cannot, `Refusal` when the bank says no, and
        `DoorError` when it is gone or does not answer in time. What was asked for may have been done in that case.
        """
        if self._why_gone:
            raise DoorError(self._why_gone)
        key = next(self._ids)
        answer = self._waiting[key] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(encoded({"id": key, "do": do, **args}))
            async with asyncio.timeout(self._timeout_s):
                return await answer
        except TimeoutError:
            raise DoorError(f"the table did not answer {do!r} within {self._timeout_s:g} s") from None
        finally:
            del self._waiting[key]

    async def events(self, recent: int = 0) -> AsyncIterator[dict[str, Any]]:
        """Begin to listen: what is returned gives every event from now on, as `Event.as_json` has it.

        It begins with the *recent* latest ones (0 to 100), which carry ``"recent": true``, and ends with `DoorError`
        when the table goes away.
        """
        await self.request("events", recent=recent)
        return self._every_event()

    async def _every_event(self) -> AsyncIterator[dict[str, Any]]:
        while (event := await self._events.get()) is not None:
            yield event
        raise DoorError(self._why_gone)

    async def close(self) -> None:
        """Hang up. May be called twice."""
        self._reading.cancel()
        await asyncio.wait({self._reading})
        self._writer.close()

    async def _read(self) -> None:
        why = "the table went away"
        try:
            while line := await self._reader.readline():
                message = json.loads(line)
                if "event" in message:
                    self._events.put_nowait(message)
                    if self._events.qsize() > MOST_UNREAD_EVENTS:
                        why = f"over {MOST_UNREAD_EVENTS} events were left unread"
                        break
                elif message["id"] is None:
                    why = f"the table hung up: {message['error']}"
                elif answer := self._waiting.get(message["id"]):
                    _settle(answer, message)
        except ConnectionError:
            pass
        except (ValueError, LookupError, TypeError):
            why = "what answers at the table's door is no table"
        finally:
            self._gone(why)

    def _gone(self, why: str) -> None:
        self._why_gone = why
        self._events.put_nowait(None)
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(DoorError(why))
        self._writer.close()


async def _connected(path: Path) -> socket.socket:
    """Connect to *path*, and wait while the table's backlog is full, which asyncio takes for a connection."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.setblocking(False)
        while True:
            try:
                connection.connect(str(path))
            except BlockingIOError:
                await asyncio.sleep(TRY_AGAIN_S)
            else:
                return connection
    except BaseException:
        connection.close()
        raise


def _settle(answer: asyncio.Future[Any], message: dict[str, Any]) -> None:
    if answer.done():
        return
    if "error" in message:
        sentence, why = str(message["error"]), str(message.get("why"))
        answer.set_exception(Refusal(why, sentence) if why in REFUSALS else ReboardError(sentence))
    else:
        answer.set_result(message["ok"])
