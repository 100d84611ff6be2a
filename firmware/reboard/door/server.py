"""The table's one local door: a unix socket that tells the state and events and takes requests.

Whoever wants to see or steer the table is a process of its own on this socket. The words are in `words`.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import socket
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from reboard.door.words import LONGEST_LINE_BYTES, Request, answered, check, encoded, parsed
from reboard.errors import DoorError, ReboardError
from reboard.events import Event, Events
from reboard.refusal import Refusal

log = logging.getLogger(__name__)

MOST_CLIENTS = 32
MOST_UNREAD_BYTES = 256 * 1024
"""A client that leaves more than this unread, beside the answer to its last request, is sent away: the table waits for
nobody."""
REMEMBERED_ANSWERS = 256
"""So many of a client's changing requests are known again when one is repeated."""
SWITCHED_OFF = "the table was switched off"
LAST_LINE_S = 1.0
"""How long a client that is sent away has for reading why."""
MOST_CONNECTIONS = MOST_CLIENTS + 8
"""While so many connections are open, or were open within the last `LAST_LINE_S`, the door accepts no other one.

A process that connects in a loop takes the time for 40 connections a second, and delays neither the motor's stop nor a
button."""
BACKLOG = 4
"""How many connections the kernel keeps for the door to accept. Further clients wait in ``connect``."""


class TableBehind(Protocol):
    """What the door needs of a table."""

    @property
    def events(self) -> Events:
        """Everything that happens."""

    def snapshot(self) -> Mapping[str, object]:
        """The table now, fit for JSON."""

    async def history(self) -> str:
        """The past of the game that is on, as JSON. Raises `ReboardError` with a sentence when it cannot be had."""

    async def request(self, do: str, **args: object) -> object:
        """Carry out a changing request. Raises `ReboardError` with a sentence when it cannot be done."""


class TableDoor:
    """The door of one table at *path*: `claim` it, `open` it, `close` it.

    *also_at* becomes a link to *path*, so that somebody who knows only the table's config finds its door even when
    systemd has given it a directory of its own. If it is the same as *path*, the door is in the
    state directory. A table that cannot write to its state directory has no door then.
    """

    def __init__(self, table: TableBehind, path: Path, *, also_at: Path | None = None) -> None:
        self.path = path
        self._link = also_at if also_at != path else None
        self._may_be_missing = also_at == path
        self._table = table
        self._socket: socket.socket | None = None
        self._inode = 0
        self._is_open = False
        self._connections = 0
        self._clients: set[_Client] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def claim(self) -> None:
        """Take the socket, replacing what a dead table left. Clients that come now wait for `open`.

        Raises `DoorError` when another table is at work behind it, or when the socket cannot be made.
        """
        try:
            self._make_room_for_link()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._socket = _bound(self.path)
            self._inode = self.path.stat().st_ino
        except DoorError:
            raise
        except OSError as error:
            problem = f"the table's door cannot be made at {self.path}: {error.strerror or error}"
            if not self._may_be_missing or _may_answer(self.path):
                raise DoorError(problem) from error
            log.warning("%s. The table plays, but no page and no command reaches it", problem)
            return
        try:
            if self._link:
                self._link.symlink_to(self.path.absolute())
        except OSError as error:
            self._forget_link(error)

    def _make_room_for_link(self) -> None:
        try:
            if self._link:
                self._link.parent.mkdir(parents=True, exist_ok=True)
                _make_room(self._link)
        except DoorError:
            raise
        except OSError as error:
            self._forget_link(error)

    def _forget_link(self, error: OSError) -> None:
        log.warning("no link to the table's door can be made at %s: %s", self._link, error.strerror or error)
        self._link = None

    async def open(self) -> None:
        """Let clients in, if there is a door. `claim` must have been called."""
        if self._socket is not None:
            self._is_open = True
            self._watch()

    async def close(self) -> None:
        """Send everybody away and remove the socket. May be called twice."""
        if self._socket is None:
            return
        self._remove_socket()
        listening, self._socket = self._socket, None
        if self._is_open:
            self._is_open = False
            asyncio.get_running_loop().remove_reader(listening)
            with contextlib.suppress(OSError):
                while True:  # the clients that the kernel still keeps
                    self._take(listening.accept()[0])
        listening.close()
        for client in self._clients:
            client.send_away(SWITCHED_OFF)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2 * LAST_LINE_S)

    def _remove_socket(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            # only while it is still ours: somebody may have removed it and started another table there
            if self.path.stat().st_ino == self._inode:
                self.path.unlink()
                if self._link:
                    self._link.unlink()

    def _watch(self) -> None:
        """Accept connections, one in each turn of the loop, unless there are too many."""
        if self._is_open and self._connections < MOST_CONNECTIONS:
            assert self._socket is not None
            asyncio.get_running_loop().add_reader(self._socket, self._accept, self._socket)

    def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            connection, _ = listening.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as error:
            log.error("the table's door cannot accept a connection, and tries again in a second: %s", error)
            loop.remove_reader(listening)
            loop.call_later(LAST_LINE_S, self._watch)
            return
        self._take(connection)
        if self._connections == MOST_CONNECTIONS:
            loop.remove_reader(listening)

    def _take(self, connection: socket.socket) -> None:
        self._connections += 1
        task = asyncio.create_task(self._welcome(connection))
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        asyncio.get_running_loop().call_later(LAST_LINE_S, self._give_back)

    def _give_back(self) -> None:
        self._connections -= 1
        self._watch()

    async def _welcome(self, connection: socket.socket) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=connection, limit=LONGEST_LINE_BYTES)
        client = _Client(self._table, reader, writer)
        if not self._is_open:
            client.send_away(SWITCHED_OFF)
            return
        if len(self._clients) >= MOST_CLIENTS:
            client.send_away(f"{MOST_CLIENTS} clients are at the door already")
            return
        self._clients.add(client)
        try:
            await client.serve()
        finally:
            self._clients.remove(client)


class _Client:
    """One connection. Its requests are carried out one after another, in the order in which they were asked."""

    def __init__(self, table: TableBehind, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._table = table
        self._reader = reader
        self._writer = writer
        self._answers: OrderedDict[object, tuple[Request, Mapping[str, object]]] = OrderedDict()
        self._stop_telling: Callable[[], None] | None = None
        self._is_gone = False
        self._asked_for_bytes = 0

    async def serve(self) -> None:
        """Answer until the client hangs up or is sent away."""
        try:
            while line := await self._reader.readline():
                if line.strip():
                    answer = await self._answer(line)
                    self._asked_for_bytes = len(answer)
                    self._send(answer)
                    # the next request is looked at only when this answer has been read, or nearly
                    await self._writer.drain()
        except ValueError:
            self.send_away(f"a request was longer than {LONGEST_LINE_BYTES} bytes")
        except ConnectionError:
            pass
        finally:
            self._hang_up()

    async def _answer(self, line: bytes) -> bytes:
        key: object = None
        try:
            request = parsed(line)
            key = request["id"]
            check(request)
            match request["do"]:
                case "snapshot":
                    answer: Mapping[str, object] = {"ok": self._table.snapshot()}
                case "history":
                    return answered(key, await self._table.history())
                case "events":
                    return encoded({"id": key, "ok": None}) + self._begin_to_tell(request.get("recent", 0))
                case _:
                    answer = await self._carried_out_once(request)
            return encoded({"id": key, **answer})
        except ReboardError as error:
            return encoded({"id": key, "error": str(error)})
        except Exception:
            log.exception("a request at the door failed: %.200r", line)
            return encoded({"id": key, "error": "the table failed at this request; its log tells how"})

    async def _carried_out_once(self, request: Request) -> Mapping[str, object]:
        if known := self._answers.get(request["id"]):
            first, answer = known
            if first != request:
                raise DoorError("this id was used before, for another request")
            return answer
        args = {name: value for name, value in request.items() if name not in ("id", "do")}
        try:
            answer = {"ok": await self._table.request(request["do"], **args)}
        except ReboardError as error:
            answer = {"error": str(error)} | ({"why": error.why} if isinstance(error, Refusal) else {})
        self._answers[request["id"]] = request, answer
        if len(self._answers) > REMEMBERED_ANSWERS:
            self._answers.popitem(last=False)
        return answer

    def _begin_to_tell(self, recent: int) -> bytes:
        events = self._table.events
        if self._stop_telling is None and not self._is_gone:
            self._stop_telling = events.listen(self._tell)
        newest_first = zip(range(recent), reversed(events.recent), strict=False)
        return b"".join(reversed([encoded({**event.as_json(), "recent": True}) for _, event in newest_first]))

    def _tell(self, event: Event) -> None:
        self._send(encoded(event.as_json()))

    def _send(self, lines: bytes) -> None:
        if self._is_gone:
            return
        self._writer.write(lines)
        if self._writer.transport.get_write_buffer_size() > MOST_UNREAD_BYTES + self._asked_for_bytes:
            self.send_away("you read too slowly; connect again and ask for a snapshot")

    def send_away(self, why: str) -> None:
        """Tell the client a last line and hang up."""
        if not self._is_gone:
            self._writer.write(encoded({"id": None, "error": why}))
            self._hang_up()

    def _hang_up(self) -> None:
        if self._is_gone:
            return
        self._is_gone = True
        if self._stop_telling:
            self._stop_telling()
        self._writer.close()
        # close() waits for what is unread; one who never reads must not be waited for
        asyncio.get_running_loop().call_later(LAST_LINE_S, self._writer.transport.abort)


def _bound(path: Path) -> socket.socket:
    """A listening socket at *path*. Two tables that start at once do not take it from each other."""
    directory = os.open(path.parent, os.O_RDONLY)
    listening = socket.socket(socket.AF_UNIX)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        _make_room(path)
        listening.bind(str(path))
        # nobody can connect before listen(), so nobody slips in before the mode is set
        path.chmod(0o660)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except BaseException:
        listening.close()
        raise
    finally:
        os.close(directory)
    return listening


def _may_answer(path: Path) -> bool:
    """Whether a table is at work behind the socket *path*, or this user may not see whether one is."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        return True


def _make_room(path: Path) -> None:
    """Remove the socket of a dead table, or the link to one."""
    if path.exists() and not path.is_socket():
        raise DoorError(f"{path} is in the way of the table's door: it is no socket; move it away")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except BlockingIOError:
            pass  # its backlog is full: very much alive
    raise DoorError(f"another table is at work already: it answers at {path}")
