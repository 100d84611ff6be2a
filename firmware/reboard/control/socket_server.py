"""The control socket: a Unix socket that serves a table's state and events, and carries out requests.

The page, the commands and scripts are clients, each in a separate process. `reboard.control.protocol` defines the
messages.
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
from typing import Any, Protocol

from reboard.accessories.installed import all_requests, check_request
from reboard.control.backup_pieces import BackupPieces
from reboard.control.protocol import LONGEST_LINE_BYTES, RawRequest, answered, as_line, parsed
from reboard.control.signal_watch import SignalWatch
from reboard.errors import ControlSocketError, ReboardError, Rejection, text_of
from reboard.events import EmittedEvent, Events
from reboard.strict_json import Json

log = logging.getLogger(__name__)

MOST_CLIENTS = 32
MOST_UNREAD_BYTES = 256 * 1024
"""The maximum number of bytes that a client can leave unread, not counting the answer to its last request.

A client that exceeds this maximum is disconnected."""
REMEMBERED_ANSWERS = 256
"""The number of answers kept for each client: those to the latest requests that change the table.

If the client repeats such a request with the same ``id``, it gets the kept answer."""
SWITCHED_OFF = "the table was switched off"
EVENTS_S = 0.01
"""The time for which events are collected before they are sent, in seconds.

To encode and send them at once, between a press of the block and its sound, would delay the sound."""
LAST_LINE_S = 1.0
"""The time that a disconnected client has to read the reason, in seconds."""
MOST_CONNECTIONS = MOST_CLIENTS + 8
"""The maximum number of connections that are open or were closed within the last `LAST_LINE_S` seconds.

A process that connects in a loop gets at most 40 connections a second: too few to delay a motor's stop or a button."""
BACKLOG = 4
"""The number of connections that the kernel queues. Further clients wait in ``connect``."""


class SharedTable(Protocol):
    """The interface of a table for the control socket, see `reboard.table.Table`."""

    @property
    def events(self) -> Events: ...
    def snapshot(self) -> Mapping[str, object]: ...
    def watch_signals(self) -> SignalWatch: ...
    async def read(self, do: str, /, **args: object) -> object: ...
    async def request(self, do: str, /, **args: object) -> object: ...


class ControlSocket:
    """The control socket of a table at *path*. Call `claim`, then `open`, and at the end `close`.

    *also_at* becomes a symbolic link to *path*. A client that knows only the config finds the socket there, even if
    systemd gave the service another directory for the socket.

    *back_up* returns a backup of the table, see `reboard.backup_file`. It runs on a thread.

    If *also_at* equals *path*, the socket is in the state directory, and there is no link. A table that cannot write to
    that directory runs without a socket.
    """

    def __init__(
        self,
        table: SharedTable,
        path: Path,
        *,
        also_at: Path | None = None,
        back_up: Callable[[], bytes] | None = None,
    ) -> None:
        self.path = path
        self._backups = BackupPieces(back_up)
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
        """Bind the socket, and replace a socket that no table serves. Clients that connect now wait for `open`.

        Raises `ControlSocketError` if another table is running, or if a required socket cannot be created.
        """
        try:
            if self._link:
                try:
                    self._link.parent.mkdir(parents=True, exist_ok=True)
                    _make_room(self._link)
                except ControlSocketError:
                    raise
                except OSError as error:
                    self._forget_link(error)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._socket = _bound(self.path)
            self._inode = self.path.stat().st_ino
        except ControlSocketError:
            raise
        except OSError as error:
            problem = f"the control socket {self.path.resolve()} cannot be created: {error.strerror or error}"
            if not self._may_be_missing or _may_answer(self.path):
                raise ControlSocketError(problem) from error
            log.warning("%s. The table is running, but the page and the commands cannot reach it", problem)
            return
        try:
            if self._link:
                self._link.symlink_to(self.path.absolute())
        except OSError as error:
            self._forget_link(error)

    def _forget_link(self, error: OSError) -> None:
        log.warning("the link %s to the control socket cannot be created: %s", self._link, error.strerror or error)
        self._link = None

    async def open(self) -> None:
        """Start accepting clients. Does nothing if `claim` created no socket."""
        if self._socket is not None:
            self._is_open = True
            self._watch()

    async def close(self) -> None:
        """Disconnect all clients and remove the socket. Can be called more than once."""
        if self._socket is None:
            return
        with contextlib.suppress(FileNotFoundError):
            # another table may have replaced it meanwhile
            if self.path.stat().st_ino == self._inode:
                self.path.unlink()
                if self._link:
                    self._link.unlink()
        listening, self._socket = self._socket, None
        if self._is_open:
            self._is_open = False
            asyncio.get_running_loop().remove_reader(listening)
            with contextlib.suppress(OSError):
                while True:  # the clients that the kernel still keeps
                    self._take(listening.accept()[0])
        listening.close()
        for client in self._clients:
            client.disconnect(SWITCHED_OFF)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2 * LAST_LINE_S)

    def _watch(self) -> None:
        """Start accepting connections, one per turn of the event loop, unless `MOST_CONNECTIONS` are open."""
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
            log.error("the control socket cannot accept connections: %s. The next attempt is in a second", error)
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
        client = _Client(self._table, self._backups, reader, writer)
        if not self._is_open:
            client.disconnect(SWITCHED_OFF)
            return
        if len(self._clients) >= MOST_CLIENTS:
            client.disconnect(f"{MOST_CLIENTS} clients are already connected: close one of them")
            return
        self._clients.add(client)
        try:
            await client.serve()
        finally:
            self._clients.remove(client)


class _Client:
    """A connected client, whose requests are carried out one after the other."""

    def __init__(
        self, table: SharedTable, backups: BackupPieces, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._table = table
        self._backups = backups
        self._reader = reader
        self._writer = writer
        self._answers: OrderedDict[object, tuple[RawRequest, Mapping[str, object]]] = OrderedDict()
        self._stop_events: Callable[[], None] | None = None
        self._watch: SignalWatch | None = None
        self._is_gone = False
        self._answer_bytes = 0
        self._untold: list[EmittedEvent] = []

    async def serve(self) -> None:
        """Answer the client's requests until one side closes the connection."""
        try:
            while line := await self._reader.readline():
                if line.strip():
                    answer = await self._answer(line)
                    self._answer_bytes = len(answer)
                    self._send(answer)
                    # read the next request only when the client has read most of this answer
                    await self._writer.drain()
        except ValueError:
            self.disconnect(f"a request was longer than {LONGEST_LINE_BYTES} bytes: send a shorter one")
        except ConnectionError:
            pass
        finally:
            self._backups.drop(self)
            self._close()

    async def _answer(self, line: bytes) -> bytes:
        key: object = None
        try:
            request = parsed(line)
            key = request["id"]
            check_request(request)
            match request["do"]:
                case "snapshot":
                    answer: Mapping[str, object] = {"ok": self._table.snapshot()}
                case "events":
                    return as_line({"id": key, "ok": None}) + self._start_events(request.get("recent", 0))
                case "watch_signals":
                    if self._watch is None and not self._is_gone:
                        self._watch = self._table.watch_signals()
                    answer = {"ok": self._watch.take() if self._watch else {}}
                case "backup":
                    answer = {"ok": await self._backups.next_piece(self)}
                case do if not all_requests()[do].changes:
                    read = await self._table.read(do, **_arguments(request))
                    if isinstance(read, Json):
                        return answered(key, read.text)
                    answer = {"ok": read}
                case _:
                    answer = await self._carried_out_once(request)
            return as_line({"id": key, **answer})
        except ReboardError as error:
            return as_line({"id": key, **_refused(error)})
        except Exception:
            log.exception("a request on the control socket failed: %.200r", line)
            return as_line({"id": key, "error": "this request failed because of a bug: see the table's log"})

    async def _carried_out_once(self, request: RawRequest) -> Mapping[str, object]:
        if known := self._answers.get(request["id"]):
            first, answer = known
            if first != request:
                raise ControlSocketError("this id was already used for another request: choose a new id")
            return answer
        try:
            answer = {"ok": await self._table.request(request["do"], **_arguments(request))}
        except ReboardError as error:
            answer = _refused(error)
        self._answers[request["id"]] = request, answer
        if len(self._answers) > REMEMBERED_ANSWERS:
            self._answers.popitem(last=False)
        return answer

    def _start_events(self, recent: int) -> bytes:
        events = self._table.events
        if self._stop_events is None and not self._is_gone:
            self._stop_events = events.listen(self._tell)
        newest_first = zip(range(recent), reversed(events.recent), strict=False)
        return b"".join(reversed([as_line({**event.as_json(), "recent": True}) for _, event in newest_first]))

    def _tell(self, event: EmittedEvent) -> None:
        if not self._untold:
            asyncio.get_running_loop().call_later(EVENTS_S, self._send)
        self._untold.append(event)

    def _send(self, lines: bytes = b"") -> None:
        """Send the collected events, and then *lines*."""
        if self._is_gone:
            return
        self._write(lines)
        if self._writer.transport.get_write_buffer_size() > MOST_UNREAD_BYTES + self._answer_bytes:
            self.disconnect("you read too slowly; connect again and request a snapshot")

    def disconnect(self, why: str) -> None:
        """Send *why* as an error in the last line, and close the connection."""
        if not self._is_gone:
            self._write(as_line({"id": None, "error": why}))
            self._close()

    def _write(self, lines: bytes) -> None:
        events, self._untold = self._untold, []
        self._writer.write(b"".join(as_line(event.as_json()) for event in events) + lines)

    def _close(self) -> None:
        if self._is_gone:
            return
        self._is_gone = True
        if self._stop_events:
            self._stop_events()
        if self._watch:
            self._watch.close()
        self._writer.close()
        # close() waits until the client has read everything, which may be never
        asyncio.get_running_loop().call_later(LAST_LINE_S, self._abort)

    def _abort(self) -> None:
        # with nothing left to write it has closed, and then abort() raises in Python 3.11
        if self._writer.transport.get_write_buffer_size():
            self._writer.transport.abort()


def _refused(error: ReboardError) -> Mapping[str, object]:
    return {"error": text_of(error)} | ({"why": error.why} if isinstance(error, Rejection) else {})


def _arguments(request: RawRequest) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name not in ("id", "do")}


def _bound(path: Path) -> socket.socket:
    """Return a listening socket at *path*. A file lock keeps two starting tables from replacing each other's socket."""
    directory = os.open(path.parent, os.O_RDONLY)
    listening = socket.socket(socket.AF_UNIX)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        _make_room(path)
        listening.bind(str(path))
        # no client can connect before listen(), so the mode is set first
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
    """Return ``False`` if certainly no table serves the socket *path*, and otherwise ``True``."""
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
    """Remove the socket at *path* if no table serves it, or a symbolic link to such a socket.

    Raises `ControlSocketError` if another table serves it or *path* is not a socket, and ``OSError`` for other errors.
    """
    if path.exists() and not path.is_socket():
        raise ControlSocketError(f"the control socket cannot be created: {path} is not a socket. Move this file")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except BlockingIOError:
            pass  # its backlog is full: very much alive
    raise ControlSocketError(f"another table is already running, at {path.resolve()}: stop that table first")
