"""A client of the control socket, for the page, the commands and scripts."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from reboard.control.protocol import as_line
from reboard.errors import ControlSocketError, ForbiddenSocketError, NoTableError, ReboardError, Rejection, Why

USUAL_TIMEOUT_S = 10.0
"""The default time limit for an answer, in seconds. A memory card can delay a write by several seconds."""
TRY_AGAIN_S = 0.05
"""The time between two attempts to connect while the socket's backlog is full, in seconds."""
PEER = struct.Struct("3i")
"""The kernel's ``struct ucred``: the IDs of the process, the user and the group at the other end of a socket."""
LONGEST_ANSWER_BYTES = 1024 * 1024
MOST_UNREAD_EVENTS = 1000


class ControlClient:
    """A connection to the control socket of a table, opened by `connect`. Also an async context manager.

    *timeout_s* limits the wait for each answer. If the connection is lost, all waiting requests raise
    `ControlSocketError`.
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
    async def connect(cls, path: Path, *, timeout_s: float = USUAL_TIMEOUT_S) -> ControlClient:
        """Connect to the control socket at *path* and return the client.

        Raises `NoTableError` if no table is running, `ForbiddenSocketError` if the user has no permission, and
        `ControlSocketError` if connecting fails for another reason.
        """
        try:
            async with asyncio.timeout(timeout_s):
                connection = await _connected(path)
                reader, writer = await asyncio.open_unix_connection(sock=connection, limit=LONGEST_ANSWER_BYTES)
        except PermissionError:
            real_path = path.resolve()  # noqa: ASYNC240 - it only reads a link
            raise ForbiddenSocketError(
                f"you have no permission to use the control socket {real_path}: use sudo, or add your user to the "
                "group of this socket and log in again"
            ) from None
        except TimeoutError:
            raise ControlSocketError(
                f"the table at {path} did not accept the connection within {timeout_s:g} s: try again"
            ) from None
        except OSError as error:
            # without errno, Python itself says that the path is too long for a socket
            if isinstance(error, (FileNotFoundError, ConnectionRefusedError)) or error.errno is None:
                raise NoTableError(
                    f"no table is running: there is no answer at {path}. Start one with `reboard run`"
                ) from None
            raise ControlSocketError(
                f"the control socket {path} cannot be opened: {error.strerror or error}"
            ) from error
        return cls(reader, writer, timeout_s)

    async def __aenter__(self) -> ControlClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def process(self) -> int:
        connection = self._writer.get_extra_info("socket")
        return int(PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))[0])

    async def request(self, do: str, /, **args: object) -> Any:
        """Send the request *do* with *args* and return its answer.

        Raises `Rejection` if the rules forbid the request, and `ReboardError` with the table's message for any other
        error. Raises `ControlSocketError` if the connection is lost or no answer arrives in time. In that case, the
        table may have carried out the request.
        """
        if self._why_gone:
            raise ControlSocketError(self._why_gone)
        key = next(self._ids)
        answer = self._waiting[key] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(as_line({**args, "id": key, "do": do}))
            async with asyncio.timeout(self._timeout_s):
                return await answer
        except TimeoutError:
            raise ControlSocketError(
                f"the table did not answer the request {do!r} within {self._timeout_s:g} s: try again"
            ) from None
        finally:
            del self._waiting[key]

    async def events(self, recent: int = 0) -> AsyncIterator[dict[str, Any]]:
        """Subscribe to the table's events and return an iterator over them, in the form of `Event.as_json`.

        The *recent* latest events (0 to 100) come first, with ``"recent": true``. The iterator raises
        `ControlSocketError` when the connection is lost.
        """
        await self.request("events", recent=recent)
        return self._every_event()

    async def _every_event(self) -> AsyncIterator[dict[str, Any]]:
        while (event := await self._events.get()) is not None:
            yield event
        raise ControlSocketError(self._why_gone)

    async def close(self) -> None:
        """Close the connection. Can be called more than once."""
        self._reading.cancel()
        await asyncio.wait({self._reading})
        self._writer.close()

    async def _read(self) -> None:
        why = "the connection to the table was lost"
        try:
            while line := await self._reader.readline():
                message = json.loads(line)
                if "event" in message:
                    self._events.put_nowait(message)
                    if self._events.qsize() > MOST_UNREAD_EVENTS:
                        why = f"this client left more than {MOST_UNREAD_EVENTS} events unread: connect again"
                        break
                elif message["id"] is None:
                    why = f"the table closed the connection: {message['error']}"
                elif answer := self._waiting.get(message["id"]):
                    _settle(answer, message)
        except ConnectionError:
            pass
        except (ValueError, LookupError, TypeError):
            path = self._writer.get_extra_info("peername")
            why = f"the program that serves the control socket {path} is not a table: stop it, then start the table"
        finally:
            self._gone(why)

    def _gone(self, why: str) -> None:
        self._why_gone = why
        self._events.put_nowait(None)
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ControlSocketError(why))
        self._writer.close()


async def has_table(socket: Path) -> bool:
    """Return whether a table serves the control *socket*, even if this user has no permission to use it."""
    try:
        table = await ControlClient.connect(socket)
    except NoTableError:
        return False
    except ControlSocketError:
        return True
    await table.close()
    return True


async def _connected(path: Path) -> socket.socket:
    """Return a socket connected to *path*. Retry while the table's backlog is full, which asyncio does not detect."""
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
        sentence, why = str(message["error"]), message.get("why")
        answer.set_exception(Rejection(Why(str(why), sentence)) if why else ReboardError(sentence))
    else:
        answer.set_result(message["ok"])
